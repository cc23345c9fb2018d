//! `cargo bench --bench parts`: framing; tokenising, of the whole line and of its
//! skeleton; detection, decoding and one projection, each with what comes before it,
//! as `streamj usage` does it.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used)]

mod corpus;

use std::convert::Infallible;
use std::hint::black_box;

use corpus::{Bytes, Kind};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use streamj::event::Interest;
use streamj::harness::{Decoder, Habits, Reading};
use streamj::input::{Content, Lines};
use streamj::json::Parser;
use streamj::run::Usage;

const SIZE: usize = 4 << 20;

fn lines_of(stream: &[u8]) -> impl Iterator<Item = &[u8]> {
    stream.split(|byte| *byte == b'\n').filter(|line| !line.is_empty())
}

fn decoder(interest: Interest) -> Decoder {
    Decoder::default().with(Habits { interest, ..Habits::default() })
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
        group.bench_function("skimming", |bencher| {
            let mut parser = Parser::default();
            bencher.iter(|| {
                for line in lines_of(&stream) {
                    let skimmed = parser.skim(line, |document| document.root.is_object());
                    let is_object = skimmed.unwrap_or_else(|| {
                        parser.parse(line, |document| document.root.is_object()).unwrap()
                    });
                    black_box(is_object);
                }
            });
        });
        for (name, interest) in [("detection", Interest::Nothing), ("decoding", Interest::Figures)]
        {
            group.bench_function(name, |bencher| {
                bencher.iter(|| {
                    let mut decoder = decoder(interest);
                    for line in lines_of(&stream) {
                        let _ = decoder.decode(line, |reading| {
                            black_box(&reading);
                            Ok::<(), Infallible>(())
                        });
                    }
                });
            });
        }
        group.bench_function("usage", |bencher| {
            bencher.iter(|| {
                let (mut decoder, mut usage) = (decoder(Interest::Figures), Usage::default());
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
