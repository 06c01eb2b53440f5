// SPDX-License-Identifier: Apache-2.0
// divisictl signals: prints the messages between gateways and routers, decoded: RSVP and signaling types 1 to 5.
#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>
#include <tuple>

#include "backend/base/text.h"
#include "backend/base/units.h"
#include "backend/control/protocol/mesh_messages.h"
#include "backend/ctl/network/advert_lines.h"
#include "backend/ctl/network/mesh_view.h"
#include "backend/ctl/terminal/json_output.h"
#include "backend/ctl/terminal/terminal.h"
#include "backend/mesh/route/hops.h"

namespace divisi::ctl {
namespace {

using control::MeshState;
using mesh::RsvpMessage;
using nlohmann::ordered_json;

/// Remembers the SIDs of flows. RESV, PathTear and PathErr identify a flow by its gateways and number; only PATH names
/// its SIDs.
class FlowNames {
public:
    /// Records the SIDs that a PATH names. Returns the SIDs of the message's flow, or null if its PATH was not seen.
    const mesh::FlowSids* of(const RsvpMessage& message) {
        const Key key{message.sender.source, message.session.destination, message.session.port};
        if (message.sids) known_[key].sids = *message.sids;
        const auto found = known_.find(key);
        if (found == known_.end()) return nullptr;
        found->second.seen = ++messages_;
        if (known_.size() > most_kept) known_.erase(std::ranges::min_element(known_, {}, seen_of));
        return &found->second.sids;
    }

private:
    using Key = std::tuple<mesh::Ipv6, mesh::Ipv6, std::uint16_t>;
    struct Known {
        mesh::FlowSids sids;
        std::uint64_t seen = 0;
    };
    static std::uint64_t seen_of(const std::pair<const Key, Known>& one) { return one.second.seen; }

    /// Maximum number of flows whose SIDs are kept. The flow that has been silent longest is dropped first:
    /// reservations are refreshed every 10 s, so this flow has ended.
    static constexpr std::size_t most_kept = 4096;
    std::map<Key, Known> known_;
    std::uint64_t messages_ = 0;
};

const char* short_name(mesh::RsvpType type) {
    switch (type) {
        case mesh::RsvpType::path_error: return "PathErr";
        case mesh::RsvpType::path_tear: return "PathTear";
        case mesh::RsvpType::credit_path: return "PATH";
        case mesh::RsvpType::credit_resv: return "RESV";
    }
    return "";
}

std::string device_at(const MeshState& state, const mesh::Ipv6& address) {
    for (const control::DeviceView& device : state.devices)
        if (mesh::device_address(mesh::RoutingId(static_cast<std::uint16_t>(device.id))) == address)
            return device.info.name;
    return "a device that has left";
}

std::vector<std::string> names_of(const MeshState& state, const mesh::Path& path) {
    std::vector<std::string> names;
    for (const mesh::RoutingId id : path) names.push_back(name_of(state, id.value()));
    return names;
}

ordered_json to_json(const control::SignalRecord& record, const RsvpMessage& message, const mesh::FlowSids* sids,
                     const MeshState& state) {
    ordered_json line{{"number", record.number},
                      {"time", clock_time(record.time)},
                      {"type", short_name(message.type)},
                      {"from", name_of(state, record.from)},
                      {"to", name_of(state, record.to)},
                      {"flow", message.session.port},
                      {"first_gateway", device_at(state, message.sender.source)},
                      {"last_gateway", device_at(state, message.session.destination)}};
    if (sids) {
        line["task"] = sids->task;
        line["source"] = sids->source;
        line["destination"] = sids->destination;
    }
    if (message.refresh) line["refresh_ms"] = to_ms(*message.refresh);
    if (message.credit_megabytes) line["credit_mb"] = *message.credit_megabytes;
    if (message.credit) {
        line["reservation"] = message.credit->incarnation;
        line["allowed_bytes"] = message.credit->allowed_bytes;
    }
    if (const auto window = mesh::window_of(message); window > 0) line["window_bytes"] = window;
    for (const auto& [use, name] : {std::pair(mesh::RouteUse::primary, "path"), {mesh::RouteUse::backup, "backup"}})
        if (const mesh::Route route = mesh::route_of(message, use); !route.path.empty())
            line[name] = names_of(state, route.path);
    if (message.error)
        line["error"] = {{"node", device_at(state, message.error->node)},
                         {"code", message.error->code},
                         {"value", message.error->value}};
    return line;
}

/// Returns the details of a message: all fields except its type, sender, receiver and flow.
std::string told(const ordered_json& line) {
    std::string text;
    const auto add = [&](const std::string& what) { text += (text.empty() ? "" : ", ") + what; };
    for (const char* way : {"path", "backup"}) {
        if (!line.contains(way)) continue;
        std::string hops;
        for (const auto& hop : line[way]) hops += (hops.empty() ? "" : " > ") + hop.get<std::string>();
        add(std::string(way) + " " + hops);
    }
    if (line.contains("allowed_bytes"))
        add("allowed " + format_bytes(line["allowed_bytes"].get<Bytes>()) + " of reservation " +
            std::to_string(line["reservation"].get<std::uint64_t>() & 0xffffffffU));
    if (line.contains("window_bytes")) add("window " + format_bytes(line["window_bytes"].get<Bytes>()));
    if (line.contains("error"))
        add("refused by " + line["error"]["node"].get<std::string>() + ", code " + line["error"]["code"].dump() + "." +
            line["error"]["value"].dump());
    return text;
}

bool wanted(const ordered_json& line, const SignalFilter& filter) {
    const auto is = [&](const char* key, const std::string& value) { return value.empty() || line[key] == value; };
    if (!is("from", filter.from) || !is("to", filter.to) || !is("type", filter.type)) return false;
    if (filter.flow.empty()) return true;
    if (!line.contains("flow")) return false;
    if (line["flow"].dump() == filter.flow) return true;
    return std::ranges::any_of(std::array{"task", "source", "destination"}, [&](const char* key) {
        return line.contains(key) && line[key].get<std::string>().starts_with(filter.flow);
    });
}

std::string flow_text(const ordered_json& line) {
    if (line.contains("source"))
        return line["source"].get<std::string>() + " > " + line["destination"].get<std::string>();
    return "flow " + line["flow"].dump();
}

void print_line(const ordered_json& line) {
    const std::string what = line.contains("flow") ? flow_text(line) + "  " + told(line) : advert_text(line);
    const auto word = [&](const char* key) { return line[key].get<std::string>(); };
    char type[16];
    std::snprintf(type, sizeof type, "%-8s", word("type").c_str());
    const std::string text = word("time") + "  " + type + "  " + word("from") + " > " + word("to") + "  " + what;
    std::puts(legible(text).c_str());
}

Result<void> check_names(const SignalFilter& filter, const MeshState& state) {
    for (const std::string& name : {filter.from, filter.to}) {
        const bool known = name.empty() || name == registry_name || name == all_devices ||
                           std::ranges::any_of(state.devices, [&](const control::DeviceView& device) {
                               return device.info.name == name;
                           });
        if (!known)
            return Error{ErrorCode::not_found, "there is no such gateway or router", name,
                         "'divisictl routes' lists them"};
    }
    return {};
}

}  // namespace

int show_signals(const Common& common, const SignalFilter& filter, bool follow) {
    auto session = open_session(common);
    if (!session) return print_error(session.error());
    auto state = (*session)->ask<MeshState>(control::QueryMesh{});
    if (!state) return print_error(state.error());
    if (auto checked = check_names(filter, *state); !checked) return print_error(checked.error());
    FlowNames flows;
    std::uint64_t last = 0;
    std::int64_t undecoded = 0;
    const auto show = [&](const ordered_json& line) {
        if (!wanted(line, filter)) return;
        if (common.json) print_json(line);
        else print_line(line);
    };
    const auto take = [&](const control::SignalRecord& record) {
        if (is_advert(record)) {
            const ordered_json line = advert_json(record, *state);
            return line.is_null() ? void(++undecoded) : show(line);
        }
        const auto message = mesh::decode(std::as_bytes(std::span(record.bytes)));
        if (!message) return void(++undecoded);
        show(to_json(record, *message, flows.of(*message), *state));
    };
    while (true) {
        if (auto fetched = fetch_signals(**session, last, take); !fetched) return print_error(fetched.error());
        if (!follow) break;
        if (std::fflush(stdout) != 0) break;  // finish_output() reports the error
        std::this_thread::sleep_for(signals_interval);
        state = (*session)->ask<MeshState>(control::QueryMesh{});
        if (!state) return print_error(state.error());
    }
    if (undecoded > 0) std::fprintf(stderr, "%s could not be decoded\n", counted(undecoded, "message").c_str());
    return 0;
}

}  // namespace divisi::ctl
