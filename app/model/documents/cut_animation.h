// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QVariantAnimation>

#include "app/model/documents/graph_document.h"

namespace divisi::model {

/// Interpolates between two choices with the same number of cuts. `share` is the progress, from 0 to 1. The result is
/// strictly ascending.
Cuts between(const Cuts& from, const Cuts& to, double share, std::int32_t legal_count);

/// Animates the shown cuts to new positions, and makes one undo step at the end. Any other change of the cuts stops the
/// animation and is kept.
class CutAnimation : public QVariantAnimation {
    Q_OBJECT
public:
    explicit CutAnimation(GraphDocument& document, QObject* parent = nullptr);

    /// Starts from the shown cuts, which may be a preview. If the number of cuts differs, jumps immediately.
    void go(Cuts to, const QString& text);

protected:
    void updateCurrentValue(const QVariant& value) override;

private:
    void finish();

    GraphDocument& document_;
    Cuts from_, to_, shown_;
    QString text_;
};

}  // namespace divisi::model
