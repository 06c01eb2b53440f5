// SPDX-License-Identifier: Apache-2.0
// Control messages as a hostile peer may send them; the first byte is the message's number.
#include <cstdio>
#include <cstdlib>

#include "backend/wire/message_codec.h"
#include "tests/fuzz/fuzz.h"

using namespace divisi;
using namespace divisi::control;

namespace {

std::string numbered(const Message& message) {
    return static_cast<char>(wire::type_of(message)) + wire::encode(message).value();
}

SegmentModel request() {
    SegmentModel request;
    request.split.strategy = "block";
    request.split.cuts = {"3", "/layers/2/Add"};
    request.split.tabu_seed = -1;
    request.split.sensitive = {"/patients/*"};
    request.split.segments = {{{"/a", "/b/*"}, "mic-1/node-1"}, {{"*"}, ""}};
    request.text = "[train]\nbatch = 4\n";
    request.skeleton = "bytes";
    return request;
}

ModelSegmented answer() {
    ModelSegmented answer;
    answer.cluster = "lab";
    answer.plan.cuts = {"/a"};
    task::PricedStage stage{{"/a", "/b"}, "/b", {}};
    stage.prediction.device = "mic-1/node-1 cpu";
    stage.prediction.flops = 1e9;
    stage.prediction.flops_share = 0.5;
    stage.prediction.busy_ms = 1.5;
    stage.prediction.sent_forward = 3;
    stage.prediction.memory = Bytes{1} << 29;
    stage.prediction.capacity = Bytes{1} << 30;
    answer.plan.stages = {stage, {}};
    answer.plan.parts = {{"head a", 1e6, 0.25, {0, 3}, {"v"}}};
    answer.plan.stage_counts = {{1, 20.5, 0}, {2, 10.25, 0.5}};
    answer.plan.warnings = {"w"};
    return answer;
}

}  // namespace

std::vector<std::string> fuzz_seeds() {
    const Error error{ErrorCode::denied, "what", "where", "next"};
    return {numbered(request()),
            numbered(answer()),
            numbered(Refused{error, {error}}),
            numbered(Hello{"divisictl", "0.1", Role::viewer, "key"}),
            numbered(AccessKeys{{{"key", "name", Role::operate, false}}, 1, true}),
            numbered(MeshTable{3,
                               {{7, "mg-1", mesh::DeviceRole::gateway, MicId("m"), "ipc://x", "key"}},
                               {{7, 8, 1e-4, 1e9}},
                               {{TaskId("t"), Sid("t/s/0"), 7, "ipc://z", "key"}}}),
            numbered(QueryLog{"t", "text", 5, 100, 900, true, "step_done"}),
            numbered(SubmitTask{"[task]", "/f", "skeleton", {{"data", "/d", "hash", 9, true}}, "me"})};
}

/// Whatever is accepted is written to bytes that are accepted and mean the same.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const auto message = wire::decode(data[0], std::as_bytes(std::span(data + 1, size - 1)));
    if (!message.ok()) return 0;
    const auto bytes = wire::encode(*message);
    if (!bytes.ok()) return 0;  // defaults that were left out may go beyond the limit
    const auto again = wire::decode(data[0], std::as_bytes(std::span(*bytes)));
    if (!again.ok() || wire::encode(*again).value() != *bytes) {
        std::fprintf(stderr, "message %u is not read as it is written\n", unsigned(data[0]));
        std::abort();
    }
    return 0;
}
