// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>

#include "app/model/documents/graph_document.h"
#include "app/model/documents/task_draft.h"

namespace divisi::testing {

/// Number of operators that the model needs for the steps.
inline constexpr int many_steps_model = 240;

/// Makes the `number`-th undo step of a long session, from 0. Every third step changes the learning rate. The others
/// set and move cuts in the first half of the session, and paint blocks in the second.
inline void make_step(model::TaskDraft& draft, model::GraphDocument& document, int number, int steps) {
    if (number % 3 == 0) {
        task::TaskSpec spec = draft.spec();
        spec.train.lr = 1e-4 * (number + 1);
        return draft.edit(std::move(spec), QStringLiteral("learning rate"));
    }
    if (number < steps / 2) {
        const auto cuts = static_cast<std::int32_t>(document.cuts().size());
        if (number % 3 == 1 || cuts == 0) {
            document.add_cut(document.best_new_cut());
            return;
        }
        const auto which = static_cast<std::size_t>(number % cuts);
        const std::int32_t at = document.cuts()[which];
        if (!document.move_cut(which, at + 1)) document.move_cut(which, at - 1);
        return;
    }
    model::Split split;
    split.painting = document.start_painting();
    const auto count = static_cast<graph::NodeIndex>(split.painting->segment_of.size());
    const graph::NodeIndex first = number % (count - 2);
    model::paint(*split.painting, first, first + 2, number % (split.painting->segments() + 1));
    document.set_split(std::move(split), QStringLiteral("paint"));
}

/// Returns everything that a task file would contain, and the operators after which the model is cut.
inline QByteArray bytes_of(const model::TaskDraft& draft, const model::GraphDocument& document) {
    QByteArray bytes = draft.text().toUtf8();
    for (const std::string& name : document.cut_names()) bytes += QByteArray::fromStdString(name) + '\n';
    if (!document.painting()) return bytes;
    for (const std::int32_t segment : document.painting()->segment_of) bytes += QByteArray::number(segment) + ' ';
    return bytes;
}

}  // namespace divisi::testing
