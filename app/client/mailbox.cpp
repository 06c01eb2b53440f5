// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/client/mailbox.h"

#include <algorithm>

namespace divisi::client {

namespace {

/// Adds as many measurements as fit and counts the rest.
template <typename Load>
void add_measured(std::vector<Load>& to, const std::vector<Load>& loads, std::uint64_t& left_out) {
    const std::size_t room = mailbox_limit - std::min(mailbox_limit, to.size());
    const auto end = loads.begin() + static_cast<std::ptrdiff_t>(std::min(room, loads.size()));
    to.insert(to.end(), loads.begin(), end);
    left_out += static_cast<std::uint64_t>(loads.end() - end);
}

template <typename Sample>
void keep(std::deque<Sample>& history, Sample sample, std::size_t limit) {
    history.push_back(std::move(sample));
    if (history.size() > limit) history.pop_front();
}

}  // namespace

bool add_events(Mail& mail, const std::vector<control::Event>& events) {
    if (mail.events.size() + events.size() > mailbox_limit) {
        mail.events.clear();
        return false;
    }
    mail.events.insert(mail.events.end(), events.begin(), events.end());
    return true;
}

void add_loads(Mail& mail, const std::vector<control::InstanceLoad>& loads) {
    add_measured(mail.loads, loads, mail.loads_left_out);
}

void add_nodes(Mail& mail, const std::vector<control::NodeMachine>& nodes) {
    add_measured(mail.nodes, nodes, mail.loads_left_out);
}

void take(ClusterData& data, Mail& mail, std::chrono::steady_clock::time_point now) {
    if (mail.heard) data.heard = now;
    if (mail.snapshot) {
        data.state = std::move(*mail.snapshot);
        data.incidents.resume(data.state);
        data.step_moments.clear();
    }
    for (const control::Event& event : mail.events) {
        control::apply(data.state, event);
        data.incidents.take(event);
        if (const auto* step = get_if<control::StepDone>(&event.body))
            keep(data.step_moments[step->task], {step->record.generation, step->record.step, event.time},
                 step_moment_limit);
    }
    data.loads_left_out += mail.loads_left_out;
    for (const control::InstanceLoad& load : mail.loads)
        keep(data.loads[load.instance], {now, load, ++data.loads_taken}, load_history_limit);
    for (const control::NodeMachine& load : mail.nodes)
        keep(data.nodes[load.node], {now, load.machine, ++data.nodes_taken}, node_history_limit);
    for (const control::SpanPush& push : mail.spans) data.spans.take(push);
    data.spans.lose(mail.spans_lost);
    data.spans.keep_only(data.state.tasks);
    // An instance is removed from the state together with its task. A measurement that arrives before the event about
    // its instance is also removed.
    std::erase_if(data.loads, [&](const auto& entry) { return !data.state.instances.contains(entry.first); });
    std::erase_if(data.step_moments, [&](const auto& entry) { return !data.state.tasks.contains(entry.first); });
    std::erase_if(data.nodes, [&](const auto& entry) { return !data.state.nodes.contains(entry.first); });
}

}  // namespace divisi::client
