// SPDX-License-Identifier: Apache-2.0
// Fuzzes RSVP messages from a hostile neighbour: their bytes, and the reaction of a gateway and a router.
#include "backend/mesh/signaling/rsvp.h"

#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/device_in_mesh.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/mesh/sample_messages.h"

using namespace divisi;
using namespace divisi::mesh;
using namespace std::chrono_literals;

namespace {

std::span<const std::byte> view(const std::string& bytes) { return std::as_bytes(std::span(bytes)); }

void put_be16(std::string& bytes, std::size_t at, std::size_t value) {
    bytes[at] = static_cast<char>(value >> 8);
    bytes[at + 1] = static_cast<char>(value & 0xff);
}

/// Checks that every accepted message is encoded to bytes that are accepted and mean the same.
bool check(const std::string& bytes) {
    const auto message = decode(view(bytes));
    if (!message.ok()) return false;
    const auto again = encode(*message);
    if (!again.ok()) {
        std::fprintf(stderr, "a decoded message cannot be encoded: %s\n", again.error().message().c_str());
        std::abort();
    }
    const auto back = decode(view(*again));
    if (!back.ok() || *back != *message) {
        std::fprintf(stderr, "a message decodes to other values than were encoded\n");
        std::abort();
    }
    return true;
}

/// Returns a PATH of flow 7 from gateway 1 to gateway 2 through router 3.
RsvpMessage path() {
    RsvpMessage m = sample::path();
    m.sids = FlowSids{"t", DeviceInMesh::source, DeviceInMesh::last};
    set_route(m, RouteUse::primary, {1, {RoutingId(1), RoutingId(3), RoutingId(2)}});
    set_route(m, RouteUse::backup, {1, {RoutingId(1), RoutingId(4), RoutingId(2)}});
    return m;
}

/// Sends the message repeatedly, from each neighbour, to devices that know the flow: the gateway that sends it, the one
/// that receives it, and a router between them.
void act(const std::string& bytes) {
    static const std::string known = encode(path()).value();
    for (const std::uint16_t id : {1, 2, 3}) {
        DeviceInMesh device(id);
        if (id != 1) device.step(relay::Signal{device.neighbours().front(), view(known)});
        for (int time = 0; time < 2; ++time)
            for (const RoutingId from : device.neighbours()) {
                device.step(relay::Signal{from, view(bytes)});
                device.pass(200ms);
                device.step(relay::Tick{});
            }
        device.pass(40s);
        device.step(relay::Tick{});
    }
}

}  // namespace

std::vector<std::string> fuzz_seeds() {
    std::vector<std::string> seeds;
    for (const auto& [name, message] : sample::all()) seeds.push_back(encode(message).value());
    seeds.push_back(encode(path()).value());
    RsvpMessage resv = sample::first_resv();
    set_window(resv, 2u << 20);
    seeds.push_back(encode(resv).value());
    return seeds;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string bytes(reinterpret_cast<const char*>(data), size);
    check(bytes);
    if (size < 8) return 0;
    // A wrong length or checksum hides all fields after it, so check again with correct ones.
    put_be16(bytes, 6, size);
    put_be16(bytes, 2, 0);
    put_be16(bytes, 2, internet_checksum(view(bytes)));
    if (check(bytes)) act(bytes);
    return 0;
}
