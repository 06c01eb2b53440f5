// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/engine/step_records.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "backend/control/types/nonfinite.h"

namespace divisi::instance {
namespace {

/// Fills in the figures of a batch task in the same fields as for training. One head: its loss and accuracy. Several
/// heads: the sum of their losses, and the figures of each head.
template <typename Record>
void add_scores(const plan::TrainingGraph& graph, const std::vector<Score>& scores, Record& record) {
    double loss = scores.empty() ? std::nan("") : 0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
        loss += scores[i].loss;
        if (graph.multi_task)
            record.heads.push_back({graph.heads[i].name, static_cast<float>(scores[i].loss), scores[i].accuracy});
        else if constexpr (requires { record.accuracy; }) record.accuracy = scores[i].accuracy;
    }
    record.loss = static_cast<float>(loss);
}

}  // namespace

Error ending_error(Error nonfinite) {
    nonfinite.next += "; with train.nonfinite = \"continue\" the training continues";
    return nonfinite;
}

StepRecords::StepRecords(std::shared_ptr<const task::CompiledPlan> plan, Generation generation)
    : plan_(std::move(plan)), generation_(generation) {}

void StepRecords::begin(std::int64_t samples, TimePoint now) {
    samples_ = samples;
    last_step_end_ = now;
}

std::int64_t StepRecords::samples_in(std::int64_t step) const {
    const std::int64_t batch = plan_->spec.train.batch;
    return is_batch() ? std::min(batch, samples_ - (step - 1) * batch) : batch;
}

std::int64_t StepRecords::last_step() const { return plan_->programs->length.steps_over(samples_); }

control::StepRecord StepRecords::finish_step(std::int64_t step, const StepLosses& losses,
                                             const std::vector<Score>& scores, TimePoint now) {
    control::StepRecord record;
    record.step = step;
    record.loss = losses.loss;
    record.step_ms = to_ms(now - last_step_end_);
    const double seconds = record.step_ms / 1000.0;
    record.samples_per_s = seconds > 0 ? static_cast<double>(samples_in(step)) / seconds : 0;
    record.generation = generation_;
    const auto& heads = plan_->training->heads;
    for (std::size_t i = 0; i < losses.heads.size(); ++i) record.heads.push_back({heads[i].name, losses.heads[i], {}});
    if (is_batch()) add_scores(*plan_->training, scores, record);
    last_step_end_ = now;
    return record;
}

void StepRecords::add_evaluation(const std::vector<graph::HostTensor>& results, std::size_t outputs) {
    eval_sums_.resize(results.size() - outputs, 0.0);
    for (std::size_t i = 0; i < eval_sums_.size(); ++i) eval_sums_[i] += results[outputs + i].number_at(0);
    ++eval_count_;
}

control::EvalRecord StepRecords::finish_evaluation(std::int64_t step, TimePoint now) {
    control::EvalRecord record;
    record.step = step;
    const plan::TrainingGraph& training = *plan_->training;
    std::size_t next = 0;
    const auto mean = [&] { return eval_sums_[next++] / eval_count_; };
    record.loss = static_cast<float>(mean());
    for (const plan::Head& head : training.heads) {
        const float loss = training.multi_task ? static_cast<float>(mean()) : record.loss;
        std::optional<double> accuracy;
        if (head.accuracy != graph::no_value) accuracy = mean();
        if (training.multi_task) record.heads.push_back({head.name, loss, accuracy});
        else record.accuracy = accuracy;
    }
    eval_sums_.clear();
    eval_count_ = 0;
    last_step_end_ = now;  // do not count the evaluation in the next step's time
    return record;
}

control::EvalRecord StepRecords::finish_batch(const std::vector<Score>& totals) const {
    control::EvalRecord record;
    record.step = last_step();
    add_scores(*plan_->training, totals, record);
    return record;
}

Result<void> StepRecords::check(const control::StepRecord& record, const Report& report) {
    return judge(control::nonfinite_loss(record), loss_is_wrong_, report);
}

Result<void> StepRecords::check(const control::EvalRecord& record, const Report& report) {
    return judge(control::nonfinite_loss(record), evaluation_is_wrong_, report);
}

Result<void> StepRecords::judge(const std::optional<Error>& nonfinite, bool& known, const Report& report) const {
    const bool said = std::exchange(known, nonfinite.has_value());
    if (!nonfinite || said) return {};
    if (plan_->spec.train.nonfinite == "stop") return ending_error(*nonfinite);
    report(*nonfinite);
    return {};
}

}  // namespace divisi::instance
