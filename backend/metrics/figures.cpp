// SPDX-License-Identifier: Apache-2.0
#include "backend/metrics/figures.h"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <utility>

namespace divisi::metrics {

void Figures::gauge(const char* name, const char* help, Labels labels, double value) {
    add(name, help, false, std::move(labels), value);
}

void Figures::total(const char* name, const char* help, Labels labels, double value) {
    add(name, help, true, std::move(labels), value);
}

void Figures::add(const char* name, const char* help, bool total, Labels labels, double value) {
    Family& family = families_[name];
    if (family.rows.empty()) {
        family.help = help;
        family.total = total;
    }
    family.rows.push_back({std::move(labels), value});
}

std::string Figures::text() const {
    std::vector<prometheus::MetricFamily> families;
    for (const auto& [name, family] : families_) {
        prometheus::MetricFamily& one = families.emplace_back();
        one.name = name;
        one.help = family.help;
        one.type = family.total ? prometheus::MetricType::Counter : prometheus::MetricType::Gauge;
        for (const Row& row : family.rows) {
            prometheus::ClientMetric& metric = one.metric.emplace_back();
            for (const auto& [label, value] : row.labels) metric.label.push_back({label, value});
            (family.total ? metric.counter.value : metric.gauge.value) = row.value;
        }
    }
    return prometheus::TextSerializer().Serialize(families);
}

void add_build(Figures& figures, const std::string& program, const std::string& version) {
    figures.gauge("divisi_build_info", "Version of the program, as a label; always 1.",
                  {{"program", program}, {"version", version}}, 1);
}

void Board::show(Figures figures) {
    auto shown = std::make_shared<const Figures>(std::move(figures));
    const std::lock_guard lock(mutex_);
    shown_.swap(shown);
}

std::string Board::text() const {
    std::shared_ptr<const Figures> shown;
    {
        const std::lock_guard lock(mutex_);
        shown = shown_;
    }
    return shown ? shown->text() : "";
}

}  // namespace divisi::metrics
