// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/client/mailbox.h"

#include <algorithm>

namespace divisi::client {

bool add_events(Mail& mail, const std::vector<control::Event>& events) {
    if (mail.events.size() + events.size() > mailbox_limit) {
        mail.events.clear();
        return false;
    }
    mail.events.insert(mail.events.end(), events.begin(), events.end());
    return true;
}

void add_loads(Mail& mail, const std::vector<control::InstanceLoad>& loads) {
    const std::size_t room = mailbox_limit - std::min(mailbox_limit, mail.loads.size());
    const auto end = loads.begin() + static_cast<std::ptrdiff_t>(std::min(room, loads.size()));
    mail.loads.insert(mail.loads.end(), loads.begin(), end);
    mail.loads_left_out += static_cast<std::uint64_t>(loads.end() - end);
}

void take(ClusterData& data, Mail& mail, std::chrono::steady_clock::time_point now) {
    if (mail.heard) data.heard = now;
    if (mail.snapshot) {
        data.state = std::move(*mail.snapshot);
        data.incidents.resume(data.state);
    }
    for (const control::Event& event : mail.events) {
        control::apply(data.state, event);
        data.incidents.take(event);
    }
    data.loads_left_out += mail.loads_left_out;
    for (const control::InstanceLoad& load : mail.loads) {
        std::deque<LoadSample>& history = data.loads[load.instance];
        history.push_back({now, load, ++data.loads_taken});
        if (history.size() > load_history_limit) history.pop_front();
    }
    for (const control::SpanPush& push : mail.spans) data.spans.take(push);
    data.spans.lose(mail.spans_lost);
    data.spans.keep_only(data.state.tasks);
    // The state forgets instances with their task. A report may also come before its instance's event: it is lost.
    std::erase_if(data.loads, [&](const auto& entry) { return !data.state.instances.contains(entry.first); });
}

}  // namespace divisi::client
