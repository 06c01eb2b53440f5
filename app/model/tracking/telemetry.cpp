// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/tracking/telemetry.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "backend/control/protocol/mesh_messages.h"

namespace divisi::model {

namespace {

/// Returns the first record newer than the mark. If a training returns to an earlier step, its generation increases, so
/// records are compared by generation and step.
template <typename Records, typename Mark>
auto first_new(const Records& records, const Mark& mark) {
    auto first = records.end();
    const auto newer = [&](const auto& one) {
        return one.generation > mark.generation || (one.generation == mark.generation && one.step > mark.step);
    };
    while (first != records.begin() && newer(*std::prev(first))) --first;
    return first;
}

/// Returns the first sample with a number above `known`.
template <typename Samples>
auto first_after(const Samples& samples, std::uint64_t known) {
    auto first = samples.end();
    while (first != samples.begin() && std::prev(first)->number > known) --first;
    return first;
}

/// If a replay went back, returns the first step whose records no longer apply, and sets the mark to the last record
/// before that step. Otherwise, returns nothing.
template <typename Records, typename Mark>
std::optional<std::int64_t> undone(const Records& records, Mark& mark) {
    const auto& last = records.back();
    if (last.generation > mark.generation || (last.generation == mark.generation && last.step >= mark.step))
        return std::nullopt;
    std::int64_t from = last.step + 1;
    const auto later = mark.began.upper_bound(last.generation);
    for (auto one = later; one != mark.began.end(); ++one) from = std::min(from, one->second);
    mark.began.erase(later, mark.began.end());
    mark.generation = 0;
    mark.step = 0;
    for (const auto& one : records) {
        if (one.step >= from) break;
        mark.generation = one.generation;
        mark.step = one.step;
    }
    return from;
}

double seconds_since_epoch(TimePoint at) { return std::chrono::duration<double>(at.time_since_epoch()).count(); }

Bytes memory_of(const control::InstanceLoad& load) {
    return load.parameters + load.gradients + load.optimizer + load.activations;
}

}  // namespace

Telemetry::Telemetry(client::Client* client, QObject* parent) : QObject(parent), client_(client) {
    if (!client_) return;
    began_ = shown();
    connect(client_, &client::Client::dataChanged, this, &Telemetry::take);
    client_->on_answer<control::QueryMesh>(this, &Telemetry::take_mesh);
    take();
}

std::string Telemetry::of_task(const TaskId& task, const std::string& figure) {
    return "task|" + task.value() + "|" + figure;
}

std::string Telemetry::of_instance(const InstanceId& instance, const std::string& figure) {
    return "instance|" + instance.value() + "|" + figure;
}

std::string Telemetry::of_node(const NodeId& node, const std::string& figure) {
    return "node|" + node.value() + "|" + figure;
}

std::string Telemetry::of_link(const std::string& from, const std::string& to, const std::string& figure) {
    return "link|" + from + "|" + to + "|" + figure;
}

/// Returns the seconds between two samples, by measurement time if known, else by arrival time.
double between(const client::LoadSample& one, const client::LoadSample& next) {
    if (one.load.measured > TimePoint{} && next.load.measured > TimePoint{})
        return std::chrono::duration<double>(next.load.measured - one.load.measured).count();
    return std::chrono::duration<double>(next.time - one.time).count();
}

/// Returns the time of the client's data.
double Telemetry::shown() const { return seconds_since_epoch(client_->shown()); }

/// Converts a time of the steady clock to the cluster's time, by subtracting its age from the displayed time.
double Telemetry::seconds(Time time) const {
    return shown() - std::chrono::duration<double>(Time::clock::now() - time).count();
}

double Telemetry::seconds(TimePoint measured, Time came) const {
    return measured > TimePoint{} ? seconds_since_epoch(measured) : seconds(came);
}

std::optional<double> Telemetry::seconds_of(const TaskId& task, double step) const {
    const auto series = store_.find(of_task(task, "seconds"));
    if (!series || series->empty() || step < *series->first_x() - 0.5) return std::nullopt;
    const auto nearest = series->nearest(step);
    return nearest ? std::optional(nearest->y) : std::nullopt;
}

std::optional<double> Telemetry::step_at(const TaskId& task, double seconds) const {
    const auto series = store_.find(of_task(task, "seconds"));
    if (!series) return std::nullopt;
    std::int64_t low = 0, high = series->size();  // y ascends: repeated steps are completed later
    while (low < high) {
        const std::int64_t middle = low + (high - low) / 2;
        const auto sample = series->at(middle);
        if (sample && sample->y <= seconds) low = middle + 1;
        else high = middle;
    }
    if (low == 0) return std::nullopt;
    const auto sample = series->at(low - 1);
    return sample ? std::optional(sample->x) : std::nullopt;
}

void Telemetry::take() {
    const client::ClusterData& data = client_->data();
    if (shown() < shown_) take_links_back();
    shown_ = shown();
    for (const auto& [id, task] : data.state.tasks) {
        TaskMarks& marks = tasks_[id];
        take_steps(task, marks);
        take_evaluations(task, marks);
    }
    for (const auto& [id, samples] : data.loads) take_loads(id, samples);
    for (const auto& [id, samples] : data.nodes) take_machine(id, samples);
    forget_what_is_gone();
}

/// Drops the figures that devices reported after the displayed time.
void Telemetry::take_links_back() {
    for (const std::string& name : store_.names("link|")) store_.series(name).cut_from(shown());
    for (auto& [ends, heard] : links_) heard = {};
}

/// Removes the samples from step `from` on in all curves of a task that are based on completed steps.
void Telemetry::cut_steps(const TaskId& task, std::int64_t from) {
    for (const std::string& name : store_.names(of_task(task, "")))
        if (name != of_task(task, "validation") && name != of_task(task, "accuracy"))
            store_.series(name).cut_from(static_cast<double>(from));
}

void Telemetry::take_steps(const control::TaskView& task, TaskMarks& marks) {
    if (task.history.empty()) {
        if (marks.steps.generation > 0) store_.forget(of_task(task.id, ""));
        if (marks.steps.generation > 0) marks = {};
        return;
    }
    if (const auto from = undone(task.history, marks.steps)) cut_steps(task.id, *from);
    const auto first = first_new(task.history, marks.steps);
    if (first == task.history.end()) return;
    if (first->step <= marks.steps.step) cut_steps(task.id, first->step);
    Series &loss = store_.series(of_task(task.id, "loss")), &speed = store_.series(of_task(task.id, "samples_per_s")),
           &time = store_.series(of_task(task.id, "step_ms"));
    for (auto one = first; one != task.history.end(); ++one) {
        const auto step = static_cast<double>(one->step);
        marks.steps.began.try_emplace(one->generation, one->step);
        loss.append(step, static_cast<double>(one->loss));
        speed.append(step, one->samples_per_s);
        time.append(step, one->step_ms);
        // The time of steps completed before this console connected is unknown.
        const bool last = std::next(one) == task.history.end();
        take_moment(task.id, *one, last && (marks.steps.step > 0 || task.history.size() == 1));
        for (const control::HeadRecord& head : one->heads)
            store_.series(of_task(task.id, "head|" + head.name)).append(step, static_cast<double>(head.loss));
    }
    const control::StepRecord& last = task.history.back();
    marks.steps.generation = last.generation;
    marks.steps.step = last.step;
}

/// Stores the time at which a step was completed, from the step's event. Without an event, the step was completed just
/// now if `seen` is true.
void Telemetry::take_moment(const TaskId& task, const control::StepRecord& step, bool seen) {
    const auto known = client_->data().step_moments.find(task);
    std::optional<double> at;
    if (seen) at = shown();
    if (known != client_->data().step_moments.end()) {
        const auto& moments = known->second;
        const auto key = [](const client::StepMoment& one) { return std::pair(one.generation, one.step); };
        const auto place = std::ranges::lower_bound(moments, std::pair(step.generation, step.step), {}, key);
        const bool found = place != moments.end() && key(*place) == std::pair(step.generation, step.step);
        if (found && place->time > TimePoint{}) at = seconds_since_epoch(place->time);
    }
    if (at) store_.series(of_task(task, "seconds")).append(static_cast<double>(step.step), *at);
}

void Telemetry::take_evaluations(const control::TaskView& task, TaskMarks& marks) {
    Mark& mark = marks.evaluations;
    if (task.evaluations.empty()) {
        for (const char* figure : {"validation", "accuracy"})
            if (mark.generation > 0) store_.forget(of_task(task.id, figure));
        mark = {};
        return;
    }
    Series &loss = store_.series(of_task(task.id, "validation")),
           &accuracy = store_.series(of_task(task.id, "accuracy"));
    const auto cut_from = [&](std::int64_t step) {
        for (Series* series : {&loss, &accuracy}) series->cut_from(static_cast<double>(step));
    };
    if (const auto from = undone(task.evaluations, mark)) cut_from(*from);
    const auto first = first_new(task.evaluations, mark);
    if (first == task.evaluations.end()) return;
    if (first->step <= mark.step) cut_from(first->step);
    for (auto one = first; one != task.evaluations.end(); ++one) {
        loss.append(static_cast<double>(one->step), static_cast<double>(one->loss));
        if (one->accuracy) accuracy.append(static_cast<double>(one->step), *one->accuracy);
        mark.began.try_emplace(one->generation, one->step);
    }
    mark.generation = task.evaluations.back().generation;
    mark.step = task.evaluations.back().step;
}

void Telemetry::take_loads(const InstanceId& instance, const std::deque<client::LoadSample>& samples) {
    if (samples.empty()) return;
    std::uint64_t& known = loads_[instance];
    if (samples.back().number < known) {  // a replay went back
        store_.forget(of_instance(instance, ""));
        known = 0;
    }
    const auto first = first_after(samples, known);
    if (first == samples.end()) return;
    const auto figure = [&](const char* name) -> Series& { return store_.series(of_instance(instance, name)); };
    Series &busy = figure("busy"), &wait = figure("wait"), &memory = figure("memory"), &resident = figure("resident"),
           &sent = figure("sent"), &received = figure("received");
    // Compare only the times of samples that the client still keeps, because a replay shifts the times of all kept
    // samples.
    const client::LoadSample* before = first != samples.begin() ? &*std::prev(first) : nullptr;
    for (auto one = first; one != samples.end(); ++one) {
        const double at = seconds(one->load.measured, one->time);
        busy.append(at, one->load.busy_share);
        wait.append(at, one->load.wait_share);
        memory.append(at, static_cast<double>(memory_of(one->load)));
        resident.append(at, static_cast<double>(one->load.resident));
        const double passed = before ? between(*before, *one) : 0;
        if (passed > 0 && one->load.bytes_sent >= before->load.bytes_sent)
            sent.append(at, static_cast<double>(one->load.bytes_sent - before->load.bytes_sent) / passed);
        if (passed > 0 && one->load.bytes_received >= before->load.bytes_received)
            received.append(at, static_cast<double>(one->load.bytes_received - before->load.bytes_received) / passed);
        before = &*one;
    }
    known = samples.back().number;
}

void Telemetry::take_machine(const NodeId& node, const std::deque<client::NodeSample>& samples) {
    if (samples.empty()) return;
    std::uint64_t& known = machines_[node];
    if (samples.back().number < known) {  // a replay went back
        store_.forget(of_node(node, ""));
        known = 0;
    }
    for (auto one = first_after(samples, known); one != samples.end(); ++one) {
        const auto append = [&](const char* figure, double value) {
            store_.series(of_node(node, figure)).append(seconds(one->machine.measured, one->time), value);
        };
        const control::MachineFigures& machine = one->machine;
        if (machine.memory > 0) {  // 0: no figures are available
            append("cpu", machine.cpu_share);
            append("used", static_cast<double>(machine.memory - machine.memory_free));
        }
        if (machine.temperature_c) append("temperature", *machine.temperature_c);
        if (machine.power_w) append("power", *machine.power_w);
    }
    known = samples.back().number;
}

void Telemetry::take_mesh(const control::MeshState& mesh) {
    std::map<std::uint32_t, std::string> names;
    for (const control::DeviceView& device : mesh.devices) names[device.id] = device.info.name;
    for (const control::DeviceView& device : mesh.devices) {
        if (!device.up) continue;
        for (const control::NeighbourReport& one : device.neighbours) {
            const auto to = names.find(one.id);
            if (to == names.end()) continue;
            TimePoint& last = links_[{device.info.name, to->second}];
            if (last == device.heard) continue;  // this report was recorded already
            last = device.heard;
            const auto append = [&](const char* figure, double value) {
                store_.series(of_link(device.info.name, to->second, figure))
                    .append(seconds_since_epoch(device.heard), value);
            };
            append("rate", one.quality.bytes_per_s);
            if (one.quality.latency_p50_s > 0) append("latency", one.quality.latency_p50_s);
            append("queued", static_cast<double>(one.queued_bytes));
            append("credit", static_cast<double>(one.credit_bytes));
        }
    }
    forget_links(mesh);
}

/// Forgets links if one of their ends is no longer in the mesh.
void Telemetry::forget_links(const control::MeshState& mesh) {
    std::set<std::string> names;
    for (const control::DeviceView& device : mesh.devices) names.insert(device.info.name);
    std::erase_if(links_, [&](const auto& one) {
        const auto& [from, to] = one.first;
        const bool gone = !names.contains(from) || !names.contains(to);
        if (gone) store_.forget(of_link(from, to, ""));
        return gone;
    });
}

void Telemetry::forget_what_is_gone() {
    const client::ClusterData& data = client_->data();
    std::erase_if(tasks_, [&](const auto& one) {
        const bool gone = !data.state.tasks.contains(one.first);
        if (gone) store_.forget(of_task(one.first, ""));
        return gone;
    });
    std::erase_if(loads_, [&](const auto& one) {
        const bool gone = !data.loads.contains(one.first);
        if (gone) store_.forget(of_instance(one.first, ""));
        return gone;
    });
    std::erase_if(machines_, [&](const auto& one) {
        const bool gone = !data.nodes.contains(one.first);
        if (gone) store_.forget(of_node(one.first, ""));
        return gone;
    });
}

}  // namespace divisi::model

#include "moc_telemetry.cpp"
