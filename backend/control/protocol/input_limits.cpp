// SPDX-License-Identifier: Apache-2.0
#include "backend/control/protocol/input_limits.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "backend/base/error_text.h"
#include "backend/control/protocol/task_messages.h"
#include "backend/control/state/encoded_size.h"
#include "backend/control/types/error_texts.h"

namespace divisi::control::inline protocol {
namespace {

Result<void> fits(std::size_t size, std::size_t limit, const std::string& field, const ErrorText& text) {
    if (size <= limit) return {};
    return make_error(text, field, {std::to_string(size), std::to_string(limit)});
}

Result<void> check_file(const FileRef& file, const std::string& field) {
    const ErrorText& long_name = error_text("task-file-name-length");
    DIVISI_TRY(fits(file.purpose.size(), longest_word, field + ".purpose", long_name));
    DIVISI_TRY(fits(file.hash.size(), longest_word, field + ".hash", long_name));
    DIVISI_TRY(fits(file.path.size(), longest_path, field + ".path", long_name));
    if (file.purpose.empty() || (file.path.empty() && file.hash.empty()))
        return make_error(error_text("task-file-without-purpose"), field);
    return {};
}

}  // namespace

Result<void> check_submission(const SubmitTask& message) {
    DIVISI_TRY(fits(message.text.size(), longest_task_text, "submit_task.text", error_text("task-text-length")));
    DIVISI_TRY(fits(message.folder.size(), longest_path, "submit_task.folder", error_text("task-folder-length")));
    DIVISI_TRY(fits(message.submitted_by.size(), longest_word, "submit_task.submitted_by",
                    error_text("submitter-name-length")));
    DIVISI_TRY(fits(message.skeleton.size(), skeleton_limit, "submit_task.skeleton", error_text("skeleton-length")));
    if (message.files.size() > most_task_files)
        return make_error(error_text("too-many-task-files"), "submit_task.files",
                          {std::to_string(message.files.size()), std::to_string(most_task_files)});
    for (std::size_t i = 0; i < message.files.size(); ++i)
        DIVISI_TRY(check_file(message.files[i], "submit_task.files[" + std::to_string(i) + "]"));
    return {};
}

Result<void> check_task(const TaskSubmitted& submitted, const TaskPlanned& planned) {
    const EncodedSize encoded = encoded_size(submitted) + encoded_size(planned);
    if (encoded.within(task_limit)) return {};
    return make_error(error_text("task-too-large"), submitted.name,
                      {std::to_string(encoded.bytes), std::to_string(encoded.elements),
                       std::to_string(task_limit.bytes), std::to_string(task_limit.elements)});
}

Result<void> check_queue(const ClusterState& state, const SubmitTask& message, std::size_t planning,
                         std::size_t most_tasks) {
    // Tasks being planned are assumed to be as large as this one.
    std::size_t count = planning, bytes = (planning + 1) * (message.text.size() + message.folder.size());
    for (const auto& [id, task] : state.tasks) {
        if (task.phase != TaskPhase::queued) continue;
        ++count;
        bytes += task.text.size() + task.folder.size();
    }
    if (count < most_tasks && bytes <= queue_bytes) return {};
    return make_error(
        error_text("queue-full"),
        std::to_string(count) + " tasks wait" +
            (count < most_tasks ? ", and with this one they take " + std::to_string(bytes >> 20) + " MiB" : ""));
}

Result<void> check_key(const KeyChanged& change) {
    DIVISI_TRY(fits(change.public_key.size(), longest_word, "change_key.public_key", error_text("key-length")));
    return fits(change.name.size(), longest_word, "change_key.name", error_text("key-name-length"));
}

Result<void> check_weights(const WeightsStored& weights) {
    DIVISI_TRY(fits(weights.path.size(), longest_path, "instance_finished.path", error_text("weights-path-length")));
    return fits(weights.hash.size(), longest_word, "instance_finished.hash", error_text("weights-hash-length"));
}

Result<void> check_spans(const InstanceSpans& spans) {
    const auto is_span = [](Duration one) { return one >= -longest_span && one <= longest_span; };
    const auto is_time = [](TimePoint one) { return one >= TimePoint{} && one <= latest_span; };
    bool fine = is_time(spans.begin) && is_time(spans.sent) && is_span(spans.length) && spans.length >= Duration{};
    for (const OperationSpan& one : spans.spans)
        fine = fine && is_span(one.begin) && is_span(one.length) && one.length >= Duration{};
    if (fine) return {};
    return make_error(error_text("span-report-damaged"), "span report", {spans.instance.value()});
}

Result<void> check_machine(const MachineFigures& machine) {
    constexpr double absolute_zero_c = -273.15;
    const auto from = [](double least) { return [least](double one) { return std::isfinite(one) && one >= least; }; };
    const std::array rates{machine.cpu_share,        machine.received_bytes_per_s, machine.sent_bytes_per_s,
                           machine.read_bytes_per_s, machine.written_bytes_per_s,  machine.power_w.value_or(0)};
    const std::array<std::int64_t, 8> amounts{machine.memory,     machine.memory_free, machine.received_bytes,
                                              machine.sent_bytes, machine.read_bytes,  machine.written_bytes,
                                              machine.disk,       machine.disk_free};
    const bool fine = std::ranges::all_of(rates, from(0)) && machine.cpu_share <= 1 &&
                      std::ranges::all_of(amounts, [](std::int64_t one) { return one >= 0; }) &&
                      from(absolute_zero_c)(machine.temperature_c.value_or(0));
    if (fine) return {};
    return make_error(error_text("node-report-damaged"), "node report");
}

Result<void> check_heads(const std::vector<HeadRecord>& heads) {
    if (heads.size() <= most_heads) return {};
    return make_error(error_text("too-many-heads"), "step report",
                      {std::to_string(heads.size()), std::to_string(most_heads)});
}

std::string clipped(std::string text) {
    if (text.size() <= longest_detail) return text;
    const std::size_t left_out = text.size() - longest_detail;
    text.resize(longest_detail);
    return text + " ... (" + std::to_string(left_out) + " more bytes)";
}

Error clipped(Error error) {
    error.what = clipped(std::move(error.what));
    error.where = clipped(std::move(error.where));
    error.next = clipped(std::move(error.next));
    if (!has_bounded_arguments(error)) {
        error.id.clear();
        error.args.clear();
    }
    return error;
}

Event::Body clipped(Event::Body body) {
    if (auto* node = get_if<NodeEnded>(&body)) node->reason = clipped(std::move(node->reason));
    else if (auto* changed = get_if<InstanceChanged>(&body)) changed->detail = clipped(std::move(changed->detail));
    else if (auto* gone = get_if<InstanceEnded>(&body)) gone->detail = clipped(std::move(gone->detail));
    else if (auto* phase = get_if<PhaseChanged>(&body)) phase->detail = clipped(std::move(phase->detail));
    else if (auto* finished = get_if<LeaseFinished>(&body)) finished->reason = clipped(std::move(finished->reason));
    else if (auto* noted = get_if<Noted>(&body)) noted->text = clipped(std::move(noted->text));
    else if (auto* raised = get_if<AlertRaised>(&body)) {
        raised->alert.what = clipped(std::move(raised->alert.what));
        raised->alert.next = clipped(std::move(raised->alert.next));
    } else if (auto* recovers = get_if<TaskRecovers>(&body)) recovers->reason = clipped(std::move(recovers->reason));
    else if (auto* ended = get_if<TaskEnded>(&body); ended && ended->error)
        ended->error = clipped(*std::move(ended->error));
    else if (auto* ending = get_if<TaskEnding>(&body)) {
        ending->reason = clipped(std::move(ending->reason));
        if (ending->error) ending->error = clipped(*std::move(ending->error));
    }
    return body;
}

}  // namespace divisi::control::inline protocol
