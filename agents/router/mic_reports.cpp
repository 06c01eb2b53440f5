// SPDX-License-Identifier: Apache-2.0
#include "agents/router/mic_reports.h"

#include "backend/control/protocol/message.h"
#include "backend/control/protocol/state_messages.h"
#include "backend/control/state/incarnation.h"
#include "backend/control/types/mic_types.h"

namespace divisi::router {
namespace {

mesh::mic::Progress progress_of(const control::InstanceLoad& load) {
    return {control::task_of(control::sid_of(load.instance)),
            load.generation,
            load.instance,
            load.step,
            load.operation,
            std::chrono::milliseconds(load.operation_ms),
            load.waits_for,
            std::chrono::milliseconds(load.waits_ms)};
}

}  // namespace

bool take_of_mic(const control::Message& message, mesh::mic::Dependencies& dependencies, TimePoint now) {
    if (const auto* units = get_if<control::MicUnits>(&message)) {
        dependencies.set(units->part, now);
        return true;
    }
    const auto* push = get_if<control::LoadPush>(&message);
    if (!push) return false;
    for (const control::InstanceLoad& load : push->loads) dependencies.take(progress_of(load), now);
    return true;
}

std::vector<control::MicReport> news_of_mic(mesh::mic::Dependencies& dependencies, TimePoint now) {
    std::vector<control::MicReport> news;
    for (const TaskId& task : dependencies.poll(now)) {
        const mesh::mic::Topology* topology = dependencies.topology(task);
        news.push_back({topology ? *topology : mesh::mic::Topology{task, 1, {}, {}}, dependencies.broken(task)});
    }
    return news;
}

}  // namespace divisi::router
