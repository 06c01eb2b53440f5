// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graphview/score/timeline_measure.h"

#include <QCoreApplication>
#include <array>

#include "app/model/wording/text.h"

namespace divisi::graphview {

namespace {

struct MeasureName {
    const char* id;
    const char* text;
};
constexpr std::array<MeasureName, score_measures> measure_names{{
    {"time", QT_TRANSLATE_NOOP("TimelineMeasure", "Predicted time of one micro-batch")},
    {"flops", QT_TRANSLATE_NOOP("TimelineMeasure", "FLOPs")},
    {"bytes", QT_TRANSLATE_NOOP("TimelineMeasure", "Bytes read and written")},
    {"memory", QT_TRANSLATE_NOOP("TimelineMeasure", "Memory held by one micro-batch")},
}};

const MeasureName& name_of(TimelineMeasure measure) { return measure_names[static_cast<std::size_t>(measure)]; }

}  // namespace

QString id(TimelineMeasure measure) { return QString::fromLatin1(name_of(measure).id); }

TimelineMeasure parse_measure(const QString& id) {
    for (std::size_t i = 0; i < measure_names.size(); ++i)
        if (id == QLatin1String(measure_names[i].id)) return static_cast<TimelineMeasure>(i);
    return TimelineMeasure::time;
}

QString measure_name(TimelineMeasure measure) {
    return QCoreApplication::translate("TimelineMeasure", name_of(measure).text);
}

QString measure_text(TimelineMeasure measure, double price) {
    switch (measure) {
        case TimelineMeasure::time: return model::ms_text(price);
        case TimelineMeasure::flops: return model::flops_text(price);
        case TimelineMeasure::bytes:
        case TimelineMeasure::memory: break;
    }
    return model::bytes_text(static_cast<Bytes>(price));
}

QString whole_text(TimelineMeasure measure, double price) {
    const QString text = measure_text(measure, price);
    return measure == TimelineMeasure::time
               ? QCoreApplication::translate("TimelineMeasure", "%1 a micro-batch").arg(text)
               : text;
}

std::vector<double> operator_prices(const model::LoadedModel& model, TimelineMeasure measure) {
    std::vector<double> prices;
    prices.reserve(static_cast<std::size_t>(model.node_count()));
    for (graph::NodeIndex node = 0; node < model.node_count(); ++node) {
        const graph::NodeCost& cost = model.cost.node(node);
        if (measure == TimelineMeasure::flops) prices.push_back(model::LoadedModel::work_of(cost));
        else if (measure == TimelineMeasure::bytes) prices.push_back(cost.forward_bytes + cost.backward_bytes);
        else prices.push_back(cost.parameter_bytes + cost.activation_bytes);
    }
    return prices;
}

}  // namespace divisi::graphview
