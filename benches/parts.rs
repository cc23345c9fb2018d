//! `cargo bench --bench parts`: framing; tokenising; detection, decoding and one
//! projection, each with what comes before it.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used)]

mod corpus;

use std::convert::Infallible;
use std::hint::black_box;

use corpus::{Bytes, Kind};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use streamj::harness::{Decoder, Harness, Reading};
use streamj::input::{Content, Lines};
use streamj::json::Parser;
use streamj::run::Usage;

const SIZE: usize = 4 << 20;

fn lines_of(stream: &[u8]) -> impl Iterator<Item = &[u8]> {
    stream.split(|byte| *byte == b'\n').filter(|line| !line.is_empty())
}

fn parts(criterion: &mut Criterion) {
    for (name, kind) in
        [("claude", Kind::Claude), ("codex", Kind::Codex), ("partial", Kind::Partial)]
    {
        let stream = corpus::stream(kind, SIZE);
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Bytes(stream.len() as u64)).sample_size(20);
        group.bench_function("framing", |bencher| {
            bencher.iter(|| {
                let mut lines = Lines::new(64 << 20);
                let mut input = Bytes(&stream);
                let mut bytes = 0;
                while lines.fill(&mut input).unwrap() > 0 {
                    while let Some(frame) = lines.next() {
                        if let Content::Bytes(line) = frame.content {
                            bytes += line.len();
                        }
                    }
                }
                bytes
            });
        });
        group.bench_function("tokenising", |bencher| {
            let mut parser = Parser::default();
            bencher.iter(|| {
                for line in lines_of(&stream) {
                    black_box(parser.parse(line, |document| document.root.is_object()).unwrap());
                }
            });
        });
        group.bench_function("detection", |bencher| {
            let mut parser = Parser::default();
            bencher.iter(|| {
                for line in lines_of(&stream) {
                    let whose = parser.parse(line, |document| Harness::of(document.root));
                    black_box(whose.unwrap());
                }
            });
        });
        group.bench_function("decoding", |bencher| {
            bencher.iter(|| {
                let mut decoder = Decoder::default();
                for line in lines_of(&stream) {
                    let _ = decoder.decode(line, |reading| {
                        black_box(&reading);
                        Ok::<(), Infallible>(())
                    });
                }
            });
        });
        group.bench_function("usage", |bencher| {
            bencher.iter(|| {
                let (mut decoder, mut usage) = (Decoder::default(), Usage::default());
                for line in lines_of(&stream) {
                    let _ = decoder.decode(line, |reading| {
                        if let Reading::Packet(packet) = reading {
                            usage.apply(&packet);
                        }
                        Ok::<(), Infallible>(())
                    });
                }
                usage.report()
            });
        });
        group.finish();
    }
}

criterion_group!(benches, parts);
criterion_main!(benches);
