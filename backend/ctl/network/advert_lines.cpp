// SPDX-License-Identifier: Apache-2.0
#include "backend/ctl/network/advert_lines.h"

#include <cstdio>
#include <span>
#include <sstream>

#include "backend/base/units.h"
#include "backend/control/protocol/mesh_messages.h"
#include "backend/control/protocol/signal_texts.h"
#include "backend/ctl/network/mesh_view.h"
#include "backend/ctl/terminal/terminal.h"
#include "backend/wire/message_codec.h"

namespace divisi::ctl {
namespace {

using nlohmann::ordered_json;

ordered_json to_json(const mesh::LoadAdvert& said, const control::MeshState& state) {
    ordered_json links = ordered_json::array(), prefixes = ordered_json::array();
    for (const mesh::LinkLoad& link : said.links)
        links.push_back({{"to", name_of(state, link.to)},
                         {"usable", link.usable},
                         {"queued", link.queued},
                         {"credit", link.credit},
                         {"bytes_per_s", link.bytes_per_s},
                         {"round_trip_ms", link.round_trip_s * 1e3},
                         {"loss", link.loss}});
    for (const mesh::PrefixLoad& prefix : said.prefixes)
        prefixes.push_back({{"prefix", prefix.prefix},
                            {"service_ms", prefix.service_s * 1e3},
                            {"load", prefix.load},
                            {"queued", prefix.queued},
                            {"device", prefix.device},
                            {"flops_per_s", prefix.flops_per_s}});
    // The upper 32 bits of the sequence number identify the router's process. They are printed separately because many
    // JSON readers round integers over 53 bits.
    return {{"process", said.sequence >> 32},
            {"sequence", said.sequence & 0xffffffffU},
            {"links", links},
            {"prefixes", prefixes}};
}

std::string number(const char* format, double value) {
    char text[48];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

std::string link_text(const ordered_json& link) {
    std::string text = link["to"].get<std::string>();
    if (!link["usable"].get<bool>()) return text + " failed";
    text += " queued " + format_bytes(link["queued"].get<Bytes>()) + ", credit " +
            format_bytes(link["credit"].get<Bytes>());
    if (const double rate = link["bytes_per_s"].get<double>(); rate > 0) text += number(", %.3g MB/s", rate / 1e6);
    if (const double trip = link["round_trip_ms"].get<double>(); trip > 0) text += number(", %.3g ms", trip);
    if (const double loss = link["loss"].get<double>(); loss > 0) text += number(", loss %.3g %%", loss * 100);
    return text;
}

std::string prefix_text(const ordered_json& prefix) {
    std::string text = prefix["prefix"].get<std::string>() + number(" %.3g ms", prefix["service_ms"].get<double>()) +
                       number(", load %.0f %%", prefix["load"].get<double>() * 100);
    if (const auto device = prefix["device"].get<std::string>(); !device.empty()) text += ", on " + device;
    if (const double flops = prefix["flops_per_s"].get<double>(); flops > 0)
        text += number(" with %.3g GFLOP/s", flops / 1e9);
    return text;
}

const char* type_name(int type) {
    constexpr const char* names[] = {"REGISTER", "ROUTES", "REQUEST", "LOAD", "REPORT"};
    return names[type - 1];
}

std::string sender_of(const control::SignalRecord& record, const control::MeshState& state) {
    if (record.from != 0) return name_of(state, record.from);
    const std::string sid = control::registered_sid(record);
    return sid.empty() ? registry_name : sid;
}

std::string receiver_of(const control::SignalRecord& record, const control::MeshState& state) {
    if (record.to != 0) return name_of(state, record.to);
    return control::is_told_to_devices(record) ? all_devices : registry_name;
}

}  // namespace

ordered_json advert_json(const control::SignalRecord& record, const control::MeshState& state) {
    const int type = control::signaling_type(record.kind);
    ordered_json line{{"number", record.number},          {"time", clock_time(record.time)},
                      {"type", type_name(type)},          {"signaling_type", type},
                      {"from", sender_of(record, state)}, {"to", receiver_of(record, state)}};
    if (record.kind == control::SignalKind::load) {
        const auto said = wire::decode_load(std::as_bytes(std::span(record.bytes)));
        if (!said) return nullptr;
        line.update(to_json(*said, state));
        return line;
    }
    const char* const fields = record.kind == control::SignalKind::routes ? "sids" : "fields";
    std::istringstream text(record.bytes);
    std::string part;
    std::getline(text, part);
    line["says"] = part;
    line[fields] = ordered_json::array();
    while (std::getline(text, part)) line[fields].push_back(part);
    return line;
}

std::string advert_text(const ordered_json& line) {
    std::string text;
    const auto add = [&](const std::string& what) { text += (text.empty() ? "" : "; ") + what; };
    if (line.contains("says")) {
        add(line["says"].get<std::string>());
        for (const char* fields : {"sids", "fields"})
            if (line.contains(fields))
                for (const auto& field : line[fields]) add(field.get<std::string>());
        return text;
    }
    for (const auto& link : line["links"]) add(link_text(link));
    for (const auto& prefix : line["prefixes"]) add(prefix_text(prefix));
    return text.empty() ? "no neighbours" : text;
}

}  // namespace divisi::ctl
