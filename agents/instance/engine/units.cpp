// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/engine/units.h"

#include <algorithm>

namespace divisi::instance {
namespace {

bool may_run(const Unit& unit, std::int64_t held_after) {
    if (!unit.pending) return false;
    if (held_after == 0 || unit.instance == plan::data_unit) return true;
    const bool evaluates = unit.pending->operation.kind == plan::OperationKind::evaluate;
    return unit.pending->step < held_after || (unit.pending->step == held_after && !evaluates);
}

}  // namespace

Units::Units(std::shared_ptr<const plan::Programs> programs, std::int32_t stage, bool data)
    : programs_(std::move(programs)) {
    // The stage is the first unit, so that its ready operations run before the data unit reads ahead.
    if (stage != plan::data_unit) units_.push_back(std::make_unique<Unit>(programs_, stage));
    if (data) units_.push_back(std::make_unique<Unit>(programs_, plan::data_unit));
}

Unit* Units::find(std::int32_t instance) {
    const auto found = std::ranges::find_if(units_, [&](const auto& unit) { return unit->instance == instance; });
    return found == units_.end() ? nullptr : found->get();
}

bool Units::contains(std::int32_t instance) const {
    return std::ranges::any_of(units_, [&](const auto& unit) { return unit->instance == instance; });
}

Unit* Units::ready(std::int64_t held_after) {
    const auto found = std::ranges::find_if(units_, [&](const auto& unit) { return may_run(*unit, held_after); });
    return found == units_.end() ? nullptr : found->get();
}

bool Units::are_finished() const {
    return std::ranges::all_of(units_, [](const auto& unit) { return unit->finished; });
}

std::set<std::int32_t> Units::awaited_ends(bool dealt) const {
    std::set<std::int32_t> ends;
    const auto& channels = programs_->channels;
    const auto add = [&](std::int32_t end) {
        if (!contains(end) && !(dealt && end == plan::data_unit)) ends.insert(end);
    };
    for (const auto& unit : units_) {
        const auto waiting = unit->interpreter.waiting();
        if (!waiting) continue;
        for (const std::int32_t channel : waiting->missing) add(channels[static_cast<std::size_t>(channel)].from);
        for (const std::int32_t channel : waiting->full) add(channels[static_cast<std::size_t>(channel)].to);
    }
    return ends;
}

std::int64_t Units::slots_elsewhere() const {
    std::int64_t slots = 0;
    for (const plan::Channel& channel : programs_->channels)
        if (contains(channel.from) && !contains(channel.to)) slots += channel.slots;
    return slots;
}

}  // namespace divisi::instance
