// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/serving/span_sampler.h"

#include <algorithm>
#include <utility>

namespace divisi::instance {

void SpanSampler::watch(std::int64_t every, TimePoint until) {
    const bool lapsed = newest_end_ >= until_;
    if (lapsed) open_.clear();  // some operations ended without being recorded, so the open steps are incomplete
    if (lapsed || every != every_) from_ = newest_ + 1;
    every_ = every;
    until_ = until;
}

bool SpanSampler::collects(std::int64_t step, TimePoint at) const {
    if (at >= until_) return false;
    return open_.contains(step) || (every_ > 0 && step >= from_ && step % every_ == 0);
}

void SpanSampler::add(std::int32_t unit, const plan::Ended& ended) {
    newest_ = std::max(newest_, ended.step);
    newest_end_ = std::max(newest_end_, ended.end);
    if (!collects(ended.step, ended.end)) return;
    Open& open = open_[ended.step];
    auto& begin = unit == plan::data_unit ? open.data_begin : open.stage_begin;
    if (!begin) begin = ended.ready;  // set by the first operation
    open.end = std::max(open.end, ended.end);
    if (open.spans.size() == control::most_reported_spans) {
        ++open.left_out;
        return;
    }
    open.spans.push_back({unit, ended.operation.kind, ended.operation.microbatch, ended.begin.time_since_epoch(),
                          ended.end - ended.begin});
}

std::optional<control::InstanceSpans> SpanSampler::passed(std::int64_t step) {
    auto found = open_.extract(step);
    open_.erase(open_.begin(), open_.upper_bound(step));
    if (found.empty() || newest_end_ >= until_) return std::nullopt;
    Open& open = found.mapped();
    if (reported_ && open.end - *reported_ < control::least_span_interval) return std::nullopt;
    reported_ = open.end;
    control::InstanceSpans report;
    report.step = step;
    report.begin = open.stage_begin ? *open.stage_begin : *open.data_begin;
    report.length = open.end - report.begin;
    report.spans = std::move(open.spans);
    report.left_out = open.left_out;
    for (control::OperationSpan& span : report.spans) span.begin -= report.begin.time_since_epoch();
    return report;
}

}  // namespace divisi::instance
