//! `cargo bench --bench parts`: decoding by filter, and the library's two ways to read
//! a stream. Each step includes the ones before it.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used)]

mod corpus;

use std::convert::Infallible;
use std::hint::black_box;

use bstr::ByteSlice;
use corpus::Kind;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use streamj::Run;
use streamj::event::EventFilter;
use streamj::reader::{DecodeOptions, Decoder};

const SIZE: usize = 4 << 20;

const FILTERS: [(&str, EventFilter); 5] = [
    ("detection", EventFilter::None),
    ("decoding usage", EventFilter::Usage),
    ("decoding text", EventFilter::Text),
    ("decoding tools", EventFilter::Tools),
    ("decoding all", EventFilter::All),
];

fn parts(criterion: &mut Criterion) {
    for (name, kind) in
        [("claude", Kind::Claude), ("codex", Kind::Codex), ("partial", Kind::Partial)]
    {
        let stream = corpus::stream(kind, SIZE);
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Bytes(stream.len() as u64)).sample_size(20);
        for (name, filter) in FILTERS {
            let mut options = DecodeOptions::default();
            options.filter = filter;
            group.bench_function(name, |bencher| {
                bencher.iter(|| {
                    let mut decoder = Decoder::new(options);
                    for line in stream.lines() {
                        let Ok(()) = decoder.decode_line(line, |decoded| {
                            black_box(&decoded);
                            Ok::<(), Infallible>(())
                        });
                    }
                });
            });
        }
        group.bench_function("records", |bencher| {
            bencher.iter(|| streamj::records(stream.as_slice()).flatten().count());
        });
        group.bench_function("run", |bencher| {
            bencher.iter(|| Run::from_reader(stream.as_slice()).unwrap());
        });
        group.finish();
    }
}

criterion_group!(benches, parts);
criterion_main!(benches);
