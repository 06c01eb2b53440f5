// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/model/loaded_model.h"
#include "app/model/planning.h"
#include "backend/control/state/state.h"
#include "backend/price/predict.h"

namespace divisi::model {

/// A task as it was submitted, and where its stages run.
struct RunPlan {
    std::string text;                ///< the task file in force
    std::string folder;              ///< that its paths are relative to
    std::vector<std::string> cuts;   ///< of the plan in force, by name; none for one stage or a block plan
    std::vector<std::string> nodes;  ///< of each stage, as it was put
    bool operator==(const RunPlan&) const = default;
};

/// What a run was predicted to take, by the library that divisictl plan asks; for one run at a time. Nodes that come
/// and go while it runs change nothing.
class RunPrediction : public QObject {
    Q_OBJECT
public:
    /// `data`: where prices of this machine's devices are stored.
    RunPrediction(PlanningService& planning, std::filesystem::path data, QObject* parent = nullptr)
        : QObject(parent), data_(std::move(data)), line_(planning) {}

    bool is_of(const RunPlan& plan) const { return asked_ == plan; }
    /// `shown` spares reading the model again where it is the task's; of `cluster` nodes and links count.
    void ask(RunPlan plan, ModelPtr shown, control::ClusterState cluster);
    void clear();
    /// Empty while it is being found, and where `problem` says why there is none.
    const std::optional<price::Prediction>& prediction() const { return prediction_; }
    const QString& problem() const { return problem_; }

Q_SIGNALS:
    void changed();

private:
    void take(const Result<price::Prediction>& answer);

    std::filesystem::path data_;
    std::optional<RunPlan> asked_;
    std::optional<price::Prediction> prediction_;
    QString problem_;
    PlanningLine line_;
};

}  // namespace divisi::model
