// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/registry/registration.h"

#include <cmath>
#include <initializer_list>

#include "backend/base/text.h"
#include "backend/mesh/base/service_path.h"

namespace divisi::mesh::inline registry {

namespace {

struct Text {
    const char* field;
    const std::string& value;
};

Error refused(std::string what, const std::string& who, std::string next) {
    return {ErrorCode::invalid_input, std::move(what), "registration of " + legible(who, longest_name),
            std::move(next)};
}

Result<void> check_lengths(const std::string& who, std::initializer_list<Text> texts, std::size_t most) {
    for (const Text& text : texts)
        if (text.value.size() > most)
            return refused(std::string(text.field) + " has " + std::to_string(text.value.size()) + " bytes", who,
                           "send at most " + std::to_string(most));
    return {};
}

Result<void> check_path(const std::string& who, const Text& text) {
    if (is_path(text.value)) return {};
    return refused(std::string(text.field) + " '" + legible(text.value, longest_name) + "' is not a path", who,
                   "join non-empty components without spaces by '/'");
}

Result<void> check_amount(const std::string& who, const char* field, double value) {
    if (std::isfinite(value) && value >= 0) return {};
    return refused(std::string(field) + " is negative or not finite", who, "send 0 where it is not known");
}

Result<void> check_role(const std::string& who, const Registration& said) {
    if (components(said.sid.value()) < 3)
        return refused("the SID has fewer than three components", who, "name it task/unit/replica");
    if (first_component(said.sid.value()) != said.task.value())
        return refused("the SID does not begin with its task '" + legible(said.task.value()) + "'", who,
                       "begin the SID with the task's name");
    if (!is_under(said.sid.value(), said.prefix))
        return refused("the prefix '" + legible(said.prefix) + "' does not contain the SID", who,
                       "register the SID itself or a path above it");
    if (said.incarnation == 0)
        return refused("the incarnation is 0", who, "send the number that the instance got at its start");
    if (said.health < Health::pending || said.health > Health::faulted)
        return refused("the health " + std::to_string(static_cast<int>(said.health)) + " is not known", who,
                       "send pending, active, draining or faulted");
    return {};
}

}  // namespace

const char* to_string(Health health) {
    switch (health) {
        case Health::pending: return "pending";
        case Health::active: return "active";
        case Health::draining: return "draining";
        case Health::faulted: return "faulted";
    }
    return "unknown";
}

const char* to_string(LeaseStanding standing) {
    switch (standing) {
        case LeaseStanding::held: return "held";
        case LeaseStanding::stale: return "stale";
        case LeaseStanding::lapsed: return "lapsed";
    }
    return "unknown";
}

Result<void> check(const Registration& said) {
    const std::string& who = said.sid.value();
    DIVISI_TRY(check_lengths(who,
                             {{"sid", who},
                              {"prefix", said.prefix},
                              {"task", said.task.value()},
                              {"resource type", said.resource_type},
                              {"device", said.capability.device},
                              {"endpoint", said.address.endpoint},
                              {"key", said.address.key},
                              {"mic", said.mic.value()},
                              {"node", said.node.value()}},
                             longest_name));
    DIVISI_TRY(check_lengths(who, {{"input schema", said.input_schema}, {"output schema", said.output_schema}},
                             longest_schema));
    DIVISI_TRY(check_path(who, {"sid", who}));
    DIVISI_TRY(check_path(who, {"prefix", said.prefix}));
    DIVISI_TRY(check_amount(who, "capability in FLOP/s", said.capability.flops_per_s));
    DIVISI_TRY(check_amount(who, "memory", static_cast<double>(said.capability.memory)));
    return check_role(who, said);
}

Result<void> check(const DeviceRegistration& said) {
    const std::string& who = said.name;
    DIVISI_TRY(check_lengths(who, {{"name", who}, {"version", said.version}}, longest_name));
    DIVISI_TRY(check_path(who, {"name", who}));
    if (said.role != DeviceRole::gateway && said.role != DeviceRole::router)
        return refused("the role " + std::to_string(static_cast<int>(said.role)) + " is not known", who,
                       "register as gateway or router");
    if (said.addresses.size() > most_addresses)
        return refused(std::to_string(said.addresses.size()) + " addresses", who,
                       "send at most " + std::to_string(most_addresses));
    if (said.links.size() > most_device_links)
        return refused(std::to_string(said.links.size()) + " links", who,
                       "send at most " + std::to_string(most_device_links));
    for (const Address& address : said.addresses)
        DIVISI_TRY(check_lengths(who, {{"endpoint", address.endpoint}, {"key", address.key}}, longest_name));
    for (const DeviceLink& link : said.links) {
        DIVISI_TRY(check_lengths(who, {{"neighbour", link.neighbour}}, longest_name));
        DIVISI_TRY(check_path(who, {"neighbour", link.neighbour}));
        DIVISI_TRY(check_amount(who, "bandwidth of a link", link.bytes_per_s));
        DIVISI_TRY(check_amount(who, "latency of a link", static_cast<double>(link.latency.count())));
    }
    DIVISI_TRY(check_amount(who, "buffer", static_cast<double>(said.buffer)));
    DIVISI_TRY(check_amount(who, "rate of a MIC", said.limits.mic_bytes_per_s));
    return check_amount(who, "rate of a task", said.limits.task_bytes_per_s);
}

}  // namespace divisi::mesh::inline registry
