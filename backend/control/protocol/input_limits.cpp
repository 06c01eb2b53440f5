// SPDX-License-Identifier: Apache-2.0
#include "backend/control/protocol/input_limits.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "backend/control/state/encoded_size.h"

namespace divisi::control::inline protocol {
namespace {

Result<void> fits(std::size_t size, std::size_t limit, const std::string& field, const std::string& next) {
    if (size <= limit) return {};
    return Error{ErrorCode::invalid_input,
                 "has " + std::to_string(size) + " bytes, and at most " + std::to_string(limit) + " are taken", field,
                 next};
}

Result<void> check_file(const FileRef& file, const std::string& field) {
    const std::string next = "shorten it; a task's files are named by path and by the hash of their content";
    DIVISI_TRY(fits(file.purpose.size(), longest_word, field + ".purpose", next));
    DIVISI_TRY(fits(file.hash.size(), longest_word, field + ".hash", next));
    DIVISI_TRY(fits(file.path.size(), longest_path, field + ".path", next));
    if (file.purpose.empty() || (file.path.empty() && file.hash.empty()))
        return Error{ErrorCode::invalid_input, "says neither what the file is for nor where it lies", field,
                     "name its purpose and its path; submit with 'divisictl run' or the console"};
    return {};
}

}  // namespace

Result<void> check_submission(const SubmitTask& message) {
    DIVISI_TRY(fits(message.text.size(), longest_task_text, "submit_task.text",
                    "name fewer nodes in [split], or let a search choose the cuts"));
    DIVISI_TRY(
        fits(message.folder.size(), longest_path, "submit_task.folder", "submit from a folder with a shorter path"));
    DIVISI_TRY(fits(message.submitted_by.size(), longest_word, "submit_task.submitted_by", "give a shorter name"));
    DIVISI_TRY(fits(message.skeleton.size(), skeleton_limit, "submit_task.skeleton",
                    "keep large constants in the model's weights"));
    if (message.files.size() > most_task_files)
        return Error{ErrorCode::invalid_input,
                     "names " + std::to_string(message.files.size()) + " files, and at most " +
                         std::to_string(most_task_files) + " are taken",
                     "submit_task.files", "put many files into one folder and name that"};
    for (std::size_t i = 0; i < message.files.size(); ++i)
        DIVISI_TRY(check_file(message.files[i], "submit_task.files[" + std::to_string(i) + "]"));
    return {};
}

Result<void> check_task(const TaskSubmitted& submitted, const TaskPlanned& planned) {
    const EncodedSize encoded = encoded_size(submitted) + encoded_size(planned);
    if (encoded.within(task_limit)) return {};
    return Error{ErrorCode::exhausted,
                 "the task and its plan take " + std::to_string(encoded.bytes) + " bytes and " +
                     std::to_string(encoded.elements) + " names, and at most " + std::to_string(task_limit.bytes) +
                     " and " + std::to_string(task_limit.elements) + " are taken",
                 submitted.name, "use fewer stages, or name fewer nodes in [split]"};
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
    return Error{
        ErrorCode::exhausted, "the queue is full",
        std::to_string(count) + " tasks wait" +
            (count < most_tasks ? ", and with this one they take " + std::to_string(bytes >> 20) + " MiB" : ""),
        "wait until some have ended, or stop some"};
}

Result<void> check_key(const KeyChanged& change) {
    DIVISI_TRY(fits(change.public_key.size(), longest_word, "change_key.public_key", "a key is 40 characters of Z85"));
    return fits(change.name.size(), longest_word, "change_key.name", "give the key a shorter name");
}

Result<void> check_weights(const WeightsStored& weights) {
    DIVISI_TRY(
        fits(weights.path.size(), longest_path, "instance_finished.path", "use a data folder with a shorter path"));
    return fits(weights.hash.size(), longest_word, "instance_finished.hash", "run the same version on every node");
}

Result<void> check_spans(const InstanceSpans& spans) {
    const auto is_span = [](Duration one) { return one >= -longest_span && one <= longest_span; };
    const auto is_time = [](TimePoint one) { return one >= TimePoint{} && one <= latest_span; };
    bool fine = is_time(spans.begin) && is_time(spans.sent) && is_span(spans.length) && spans.length >= Duration{};
    for (const OperationSpan& one : spans.spans)
        fine = fine && is_span(one.begin) && is_span(one.length) && one.length >= Duration{};
    if (fine) return {};
    return Error{ErrorCode::corrupt, "reports an operation that ends before it begins, or at no time", "span report",
                 "check the clock of the machine of " + spans.instance.value()};
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
    return Error{ErrorCode::corrupt, "reports a machine that cannot be", "node report",
                 "run the same Divisi version on all machines"};
}

Result<void> check_heads(const std::vector<HeadRecord>& heads) {
    if (heads.size() <= most_heads) return {};
    return Error{
        ErrorCode::exhausted,
        "reports " + std::to_string(heads.size()) + " heads, and at most " + std::to_string(most_heads) + " are taken",
        "step report", "train fewer heads at once"};
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
