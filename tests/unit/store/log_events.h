// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/control/protocol/state_messages.h"
#include "backend/store/event_log.h"
#include "backend/wire/message_codec.h"

namespace divisi::tests {

inline store::EventCodec log_codec() {
    return {wire::encode_event, wire::decode_event, wire::encode_page, wire::decode_page};
}

/// Generates the endless life of a cluster: tasks that are submitted, run some steps and end.
class Life {
public:
    /// Returns the next event and folds it into state().
    control::Event next() {
        const std::uint64_t round = state_.sequence % (steps + 3);
        if (round == 0) task_ = control::next_task_id(state_, "gpt");
        control::Event event{state_.sequence + 1, TimePoint(Duration(1'000'000 * (state_.sequence + 1))), body(round)};
        control::apply(state_, event);
        return event;
    }
    std::vector<control::Event> next(std::size_t count) {
        std::vector<control::Event> events;
        while (events.size() < count) events.push_back(next());
        return events;
    }
    const control::ClusterState& state() const { return state_; }

private:
    static constexpr std::uint64_t steps = 97;

    control::Event::Body body(std::uint64_t round) const {
        if (round == 0)
            return control::TaskSubmitted{task_, "gpt", "[task]\nname = 'gpt'\n", "/home/me", "", {}, "me", 0};
        if (round == 1) {
            control::TaskPlanned planned{task_, 1, {"/layers/3/add"}, steps, 16, "zoo:gpt", "hash", {}};
            for (int i = 0; i < 8; ++i)
                planned.units.push_back({Sid(task_.value() + "/forward-" + std::to_string(i) + "/0"),
                                         "forward",
                                         {},
                                         {},
                                         control::UnitState::waiting});
            return planned;
        }
        if (round == steps + 2) return control::TaskEnded{task_, control::Outcome::succeeded, {}};
        const auto step = static_cast<std::int64_t>(round - 1);
        return control::StepDone{task_, {step, 1.0f / static_cast<float>(step), 10.5, 1234.5, 1, {}}};
    }

    control::ClusterState state_;
    TaskId task_;
};

/// Returns the content of a state as the bytes of its pages.
inline std::string content(const control::ClusterState& state) {
    std::string bytes;
    for (const control::Snapshot& page : control::snapshot_pages(state, {})) bytes += wire::encode_page(page).value();
    return bytes;
}

}  // namespace divisi::tests
