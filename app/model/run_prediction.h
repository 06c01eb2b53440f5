// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <optional>
#include <string>
#include <vector>

#include "app/model/prices.h"

namespace divisi::model {

/// A task as it was submitted, and where its stages run.
struct RunQuestion {
    std::string text;                ///< the task file in force
    std::string folder;              ///< that its paths are relative to
    std::vector<std::string> cuts;   ///< of the plan in force, by name; none for one stage or a block plan
    ModelPtr shown;                  ///< spares reading the model again where it is the task's
    std::vector<std::string> nodes;  ///< of each stage, as it was put
    plan::NodePool pool;

    /// Whether both have one answer: nodes that come and go meanwhile do not count.
    bool same_plan(const RunQuestion& other) const {
        return text == other.text && folder == other.folder && cuts == other.cuts && nodes == other.nodes;
    }
};

/// What a run was predicted to take, by the library that divisictl plan asks; found beside the GUI thread, for one run
/// at a time. A newer question makes the answer to the older one be dropped.
class RunPrediction : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    /// Asks unless that plan is the one asked for last.
    void ask(RunQuestion question);
    void clear();
    /// Empty while it is being found, and where `problem` says why there is none.
    const std::optional<plan::Prediction>& prediction() const { return prediction_; }
    const QString& problem() const { return problem_; }

Q_SIGNALS:
    void changed();

private:
    void take(std::uint64_t request, const Result<plan::Prediction>& answer);

    std::optional<RunQuestion> asked_;
    std::uint64_t request_ = 0;  ///< answers to others are late and dropped
    std::optional<plan::Prediction> prediction_;
    QString problem_;
};

}  // namespace divisi::model
