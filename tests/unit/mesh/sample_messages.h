// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "backend/mesh/signaling/rsvp.h"

namespace divisi::mesh::sample {

/// Returns a message about flow 7 from gateway 1 to gateway 2, sent by router 3.
inline RsvpMessage bare(RsvpType type) {
    RsvpMessage m;
    m.type = type;
    m.session.destination = device_address(RoutingId(2));
    m.session.port = 7;
    m.sender = {device_address(RoutingId(1)), 7};
    if (type != RsvpType::path_error) m.hop = {device_address(RoutingId(3)), 11};
    return m;
}

inline RsvpMessage path() {
    RsvpMessage m = bare(RsvpType::credit_path);
    m.refresh = std::chrono::seconds(30);
    m.sids = FlowSids{"gpt-1", "gpt-1/stage-0/0", "gpt-1/stage-1/0"};
    return m;
}

inline RsvpMessage first_resv() {
    RsvpMessage m = bare(RsvpType::credit_resv);
    m.refresh = std::chrono::milliseconds(1500);
    m.credit_megabytes = megabytes(16'777'216);
    m.credit = Credit{7, 2, 16'777'216};
    return m;
}

inline RsvpMessage later_resv() {
    RsvpMessage m = bare(RsvpType::credit_resv);
    m.credit = Credit{7, 2, 5'000'000'000};
    return m;
}

inline RsvpMessage tear() { return bare(RsvpType::path_tear); }

inline RsvpMessage error() {
    RsvpMessage m = bare(RsvpType::path_error);
    m.error = ErrorSpec{device_address(RoutingId(9)), 0, 1, 2};  // admission control: no bandwidth
    return m;
}

/// Returns a message whose 16-bit words add up to all ones, so that its checksum would be zero.
inline RsvpMessage tear_without_remainder() {
    RsvpMessage m = tear();
    m.sender.port = 7 + 0x12c2;  // 0x12c2 is the checksum of tear(): its words plus this value add up to all ones
    return m;
}

/// Returns a message with objects of classes that a later version may have. Classes 252 to 255 would need an enterprise
/// code (RFC 3936).
inline RsvpMessage foreign() {
    RsvpMessage m = path();
    m.passed_on = {{200, 1, "what is it?!"}, {201, 9, ""}, {200, 1, "what is it?!"}};
    return m;
}

inline std::vector<std::pair<const char*, RsvpMessage>> all() {
    return {{"PATH", path()},
            {"first RESV", first_resv()},
            {"later RESV", later_resv()},
            {"PathTear", tear()},
            {"checksum of ones", tear_without_remainder()},
            {"PathErr", error()},
            {"unknown classes", foreign()}};
}

}  // namespace divisi::mesh::sample
