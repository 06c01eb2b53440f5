// SPDX-License-Identifier: Apache-2.0
// divisictl capture: writes the credit messages between gateways and routers into a file for Wireshark.
#include <cstdio>
#include <thread>

#include "backend/ctl/network/mesh_view.h"
#include "backend/ctl/terminal/json_output.h"
#include "backend/ctl/terminal/terminal.h"
#include "backend/file/atomic_file.h"
#include "backend/mesh/signaling/capture.h"

namespace divisi::ctl {
namespace {

mesh::RoutingId routing_id(std::uint32_t id) { return mesh::RoutingId(static_cast<std::uint16_t>(id)); }

}  // namespace

int capture(const Common& common, const std::string& file, int seconds) {
    auto session = open_session(common);
    if (!session) return print_error(session.error());
    std::string bytes = mesh::capture_header();
    std::size_t count = 0, adverts = 0;
    std::uint64_t last = 0;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
    const auto take = [&](const control::SignalRecord& one) {
        const bool rsvp = one.kind == control::SignalKind::rsvp;
        const auto record = rsvp ? mesh::capture_record : mesh::capture_advert;
        bytes += record(one.time, routing_id(one.from), routing_id(one.to), std::as_bytes(std::span(one.bytes)));
        ++(rsvp ? count : adverts);
    };
    while (true) {
        if (auto fetched = fetch_signals(**session, last, take); !fetched) return print_error(fetched.error());
        if (std::chrono::steady_clock::now() >= end) break;
        std::this_thread::sleep_for(signals_interval);
    }
    if (auto written = file::write_file(file, bytes, 0644); !written) return print_error(written.error());
    if (common.json) print_json({{"file", file}, {"messages", count}, {"adverts", adverts}});
    else std::printf("%zu RSVP messages and %zu of types 1 to 5 written to %s\n", count, adverts, file.c_str());
    return 0;
}

}  // namespace divisi::ctl
