// SPDX-License-Identifier: Apache-2.0
#include "backend/link/link_probe.h"

namespace divisi::link {
namespace {

constexpr const char* sink_name = "sink";
constexpr Generation generation = 1;
/// Incarnation of both ends. Each probe has its own two ends, and no other process replaces an end.
constexpr frame::Incarnation incarnation = 1;

}  // namespace

ProbeSink::ProbeSink(Loop& loop, Transport& transport, std::uint64_t probe)
    : port_(loop, transport, Sid(sink_name), incarnation,
            {[this](const frame::TensorFrame& frame) { port_.release(frame.key); }, {}, {}}) {
    port_.enter(probe, generation);
}

Result<std::string> ProbeSink::listen(const std::string& endpoint, bool allow_remote) {
    return port_.listen(endpoint, allow_remote);
}

LinkProbe::LinkProbe(Loop& loop, Transport& transport, std::uint64_t probe, Ended ended)
    : probe_(probe),
      port_(loop, transport, Sid("probe-" + std::to_string(probe)), incarnation,
            {{}, [this](const frame::TensorKey&) { released(); }, [this](const Error& error) { trouble_ = error; }}),
      series_(
          loop, [this](int count, std::size_t bytes) { return send(count, bytes); }, std::move(ended)) {
    port_.enter(probe, generation);
}

void LinkProbe::run(const std::string& endpoint, const std::string& server_key, Duration deadline) {
    port_.connect(Sid(sink_name), incarnation, endpoint, server_key);
    series_.run(deadline, [this] { return trouble_ ? trouble_->message() : ""; });
}

Result<void> LinkProbe::send(int count, std::size_t bytes) {
    frame::TensorFrame frame;
    const std::vector<std::uint8_t> values(bytes, 120);
    frame.tensor = graph::HostTensor::of(graph::DType::uint8, {static_cast<std::int64_t>(bytes)}, values);
    outstanding_ = count;
    for (int i = 0; i < count; ++i) {
        frame.key = {probe_, generation, frame::FrameKind::activation, 0, ++step_, 0};
        DIVISI_TRY(port_.send(Sid(sink_name), frame));
    }
    return {};
}

void LinkProbe::released() {
    if (--outstanding_ == 0) series_.answered();
}

}  // namespace divisi::link
