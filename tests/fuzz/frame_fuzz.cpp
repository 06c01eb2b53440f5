// SPDX-License-Identifier: Apache-2.0
// Fuzzes frames from a hostile neighbour, instance or peer; one input holds several frames. Covers a receiver of
// tensors, a gateway and a router, and the reassembly of control messages and demands.
#include "backend/frame/frame.h"

#include <cstdio>
#include <cstdlib>

#include "backend/frame/control_frame.h"
#include "backend/frame/crc32c.h"
#include "backend/frame/data_flow.h"
#include "backend/frame/demand.h"
#include "tests/fuzz/device_in_mesh.h"
#include "tests/fuzz/fuzz.h"

using namespace divisi;
using namespace std::chrono_literals;

namespace {

/// The kind of a record. A record consists of two bytes for the header's length, the header and the payload.
enum Kind : std::uint8_t { data, lane, control, demand, kinds };

constexpr std::size_t header_crc_at = 84, payload_crc_at = 80, most_records = 12;
const frame::End own{frame::flow_id(Sid(mesh::DeviceInMesh::last)), 2};
const frame::End peer{frame::flow_id(Sid(mesh::DeviceInMesh::source)), 3};
const std::uint64_t task = frame::flow_id(TaskId("t"));

std::span<const std::byte> view(const std::string& bytes) { return std::as_bytes(std::span(bytes)); }

void hold(const char* what, bool holds) {
    if (holds) return;
    std::fprintf(stderr, "violated: %s\n", what);
    std::abort();
}

void put_crc(std::string& bytes, std::size_t at, std::uint32_t crc) {
    for (std::size_t i = 0; i < 4; ++i) bytes[at + i] = static_cast<char>(crc >> 8 * i & 0xff);
}

struct Split {
    std::string header;
    std::span<const std::byte> payload;
};
Split split(std::span<const std::byte> bytes) {
    if (bytes.size() < 2) return {};
    const std::size_t wanted = std::to_integer<std::size_t>(bytes[0]) | std::to_integer<std::size_t>(bytes[1]) << 8;
    const std::size_t length = std::min(wanted, bytes.size() - 2);
    return {std::string(reinterpret_cast<const char*>(bytes.data()) + 2, length), bytes.subspan(2 + length)};
}

/// Corrects the checksums. Otherwise a wrong checksum would end the check, and the code after it would not be fuzzed.
void mend(Split& frame) {
    if (frame.header.size() < frame::fixed_header_bytes) return;
    put_crc(frame.header, payload_crc_at, frame::crc32c(frame.payload));
    put_crc(frame.header, header_crc_at, 0);
    put_crc(frame.header, header_crc_at, frame::crc32c(view(frame.header)));
}

/// All receivers of frames.
struct Receivers {
    frame::DataFlow flow{own};
    mesh::DeviceInMesh sender{1}, receiver{2}, router{3};
    TimePoint now{1h};

    Receivers() {
        (void)flow.step(frame::flow::Enter{task, 2}, now);
        (void)flow.step(frame::flow::Reach{peer}, now);
    }
    void take(bool by_lane, const Split& raw) {
        const auto header = frame::decode_header(view(raw.header));
        if (!header) return;
        const auto again = frame::encode_header(*header);
        hold("a decoded header can be encoded", again.ok());
        const auto back = frame::decode_header(view(*again));
        hold("a header decodes to the encoded values", back.ok() && *back == *header);
        now += 100ms;
        (void)flow.step(frame::flow::Received{*header, raw.payload}, now);
        hold("the bytes of partial tensors stay within their limit",
             flow.partial_bytes() <= frame::Reassembler::Limits().partial_bytes);
        (void)flow.step(frame::flow::Tick{}, now);
        for (mesh::DeviceInMesh* device : {&sender, &receiver, &router})
            forward(*device, by_lane, *header, raw.payload);
    }
    static void forward(mesh::DeviceInMesh& device, bool by_lane, const frame::FrameHeader& header,
                        std::span<const std::byte> payload) {
        for (const mesh::RoutingId from : {mesh::RoutingId(), device.neighbours().front()}) {
            if (by_lane)
                device.step(mesh::relay::Lane{
                    from, header, std::string(reinterpret_cast<const char*>(payload.data()), payload.size())});
            else device.step(mesh::relay::Data{from, {header, nullptr, payload}});
            device.pass(100ms);
            device.step(mesh::relay::Tick{});
        }
    }
};

std::size_t limit_of(std::uint16_t type) { return type < 4 ? std::size_t{1} << (8 * type) : 0; }

frame::FrameHeader header_of(frame::FrameKind kind) {
    frame::FrameHeader header;
    header.key = {task, 2, kind, 1, 4, 1};
    header.source = peer;
    header.destination = own;
    return header;
}
std::string record_of(Kind kind, const std::string& header, const std::string& payload) {
    const std::string length{static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
    return fuzz_record(kind, length + header + payload);
}
std::string record_of(Kind kind, frame::FrameHeader header, const std::string& payload = {}) {
    header.payload_bytes = static_cast<std::uint32_t>(payload.size());
    header.payload_crc = frame::crc32c(view(payload));
    if (header.total_bytes == 0) header.total_bytes = payload.size();
    return record_of(kind, frame::encode_header(header).value(), payload);
}

/// Returns a tensor of two chunks, or only its first chunk if `whole` is false.
std::string tensor(bool whole) {
    frame::FrameHeader header = header_of(frame::FrameKind::activation);
    header.dtype = graph::DType::float32;
    header.dims = {2, 1000};
    header.chunk_bytes = 4096;
    header.chunk_count = 2;
    header.total_bytes = 8000;
    mesh::set_route(header, {1, {mesh::RoutingId(1), mesh::RoutingId(3), mesh::RoutingId(2)}});
    mesh::set_reservation(header, 7);
    std::string bytes = record_of(data, header, std::string(4096, 'a'));
    header.chunk_index = 1;
    if (whole) bytes += record_of(data, header, std::string(8000 - 4096, 'b'));
    return bytes;
}

}  // namespace

std::vector<std::string> fuzz_seeds() {
    std::vector<std::string> seeds{tensor(true), tensor(false) + tensor(true)};
    for (const auto kind : {frame::FrameKind::hello, frame::FrameKind::welcome, frame::FrameKind::ack,
                            frame::FrameKind::slot, frame::FrameKind::ask, frame::FrameKind::refused})
        seeds.push_back(record_of(lane, header_of(kind)) + tensor(false));
    seeds.push_back(tensor(false) + record_of(lane, header_of(frame::FrameKind::missing), std::string(8, '\0')));
    const std::string demanded = frame::encode_demand({3, 4096, {{1, 0}, {1, 1}}});
    seeds.push_back(record_of(lane, header_of(frame::FrameKind::demand), demanded) + fuzz_record(demand, demanded));
    std::string message;
    for (const std::uint32_t at : {0, 3})
        message += record_of(control, frame::encode_control_header({9, 2, 6, at}), "abc");
    seeds.push_back(message);
    return seeds;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    Receivers receivers;
    frame::ControlAssembler assembler(limit_of);
    for (const FuzzRecord& record : fuzz_records(std::as_bytes(std::span(bytes, size)), most_records)) {
        Split frame = split(record.bytes);
        switch (record.kind % kinds) {
            case data:
            case lane:
                receivers.take(record.kind % kinds == lane, frame);
                mend(frame);
                receivers.take(record.kind % kinds == lane, frame);
                break;
            case control:
                if (const auto header = frame::decode_control_header(view(frame.header)))
                    if (!assembler.add(*header, frame.payload)) assembler = frame::ControlAssembler(limit_of);
                hold("no more bytes of a message are kept than arrived", assembler.held() <= size);
                break;
            case demand:
                if (const auto said = frame::decode_demand(record.bytes))
                    hold("a demand decodes to the encoded values",
                         frame::decode_demand(view(frame::encode_demand(*said))).value() == *said);
                break;
        }
    }
    return 0;
}
