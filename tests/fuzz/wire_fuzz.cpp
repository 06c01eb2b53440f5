// SPDX-License-Identifier: Apache-2.0
// Fuzzes control messages from a hostile peer; the first byte is the message's number. With load_number, the rest is
// signaling type 4 from a hostile router.
#include <cstdio>
#include <cstdlib>

#include "backend/control/protocol/all_messages.h"
#include "backend/wire/message_codec.h"
#include "tests/fuzz/fuzz.h"

using namespace divisi;
using namespace divisi::control;

namespace {

constexpr std::uint8_t load_number = 255;  // not the number of any message

std::string numbered_load() {
    mesh::LoadAdvert said;
    said.sender = 3;
    said.sequence = 4;
    said.links = {{1, true, 5, 6, 7.5, 0.25, 0.5}};
    said.prefixes = {{"t/stage-0", 0.125, 0.75, 8, "cpu", 9e9}};
    return static_cast<char>(load_number) + wire::encode_load(said).value();
}

/// Checks that a gateway accepts or refuses everything that the decoder accepts.
int take_load(std::span<const std::byte> bytes) {
    auto said = wire::decode_load(bytes);
    if (!said.ok()) return 0;
    mesh::LoadBook book;
    const bool fits = said->links.size() <= mesh::most_load_links && said->prefixes.size() <= mesh::most_load_prefixes;
    if (book.take(mesh::RoutingId(3), *std::move(said), TimePoint()).ok() && !fits) {
        std::fprintf(stderr, "the gateway accepts more rows of signaling type 4 than its bounds\n");
        std::abort();
    }
    return 0;
}

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
    return {numbered_load(),
            numbered(request()),
            numbered(answer()),
            numbered(Refused{error, {error}}),
            numbered(Hello{"divisictl", "0.1", Role::viewer, "key"}),
            numbered(AccessKeys{{{"key", "name", Role::operate, false}}, 1, true}),
            numbered(MeshTable{3,
                               {{7, "mg-1", mesh::DeviceRole::gateway, MicId("m"), "ipc://x", "key"}},
                               {{7, 8, 1e-4, 1e9}},
                               {{TaskId("t"), Sid("t/s/0"), 7, "ipc://z", "key"}}}),
            numbered(SnapshotTaken{TaskId("t"), InstanceId("t/s/0#1"), 1, 5, "hash", 9, 0.5, 1.5, error}),
            numbered(PlanPrepared{TaskId("t"), InstanceId("t/s/0#1"), "hash", error}),
            numbered(DropBlobs{{"hash"}}),
            numbered(QueryLog{"t", "text", 5, 100, 900, true, "step_done", "t/s", "m/n", Severity::warning}),
            numbered(LogLines{{{1, TimePoint(Duration(5)), Severity::error, "node m/n", TaskId("t"), Sid("t/s/0"),
                                NodeId("m/n"), "text"}}}),
            numbered(QueryLines{"t", "t/s", "m/n", Severity::warning, {}, {}, "text", 100, 900}),
            numbered(SubmitTask{"[task]", "/f", "skeleton", {{"data", "/d", "hash", 9, true}}, "me"})};
}

/// Checks that every accepted message is encoded to bytes that are accepted and mean the same.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    if (data[0] == load_number) return take_load(std::as_bytes(std::span(data + 1, size - 1)));
    const auto message = wire::decode(data[0], std::as_bytes(std::span(data + 1, size - 1)));
    if (!message.ok()) return 0;
    const auto bytes = wire::encode(*message);
    if (!bytes.ok()) return 0;  // omitted fields are encoded as defaults, which may exceed the limit
    const auto again = wire::decode(data[0], std::as_bytes(std::span(*bytes)));
    if (!again.ok() || wire::encode(*again).value() != *bytes) {
        std::fprintf(stderr, "message %u decodes to other values than were encoded\n", unsigned(data[0]));
        std::abort();
    }
    return 0;
}
