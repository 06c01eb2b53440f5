// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QVariantAnimation>

#include "app/model/graph_document.h"

namespace divisi::model {

/// Cuts on their way from one choice to another of as many, for `share` from 0 to 1: strictly ascending.
Cuts between(const Cuts& from, const Cuts& to, double share, std::int32_t legal_count);

/// Moves the shown cuts to others for all to see, and makes it one undo step in the end. Whatever else touches
/// the cuts ends it where it is.
class CutAnimation : public QVariantAnimation {
    Q_OBJECT
public:
    explicit CutAnimation(GraphDocument& document, QObject* parent = nullptr);

    /// From the shown cuts, which may be a preview. Jumps where there are not as many.
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
