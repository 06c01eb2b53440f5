// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QStringList>

#include "app/graphview/diagram/cut_drag.h"

namespace divisi::graphview {

/// Shows the costs of the hovered or dragged cut: on a card beside the pointer, and at the cut's line.
class CutCard : public QObject {
    Q_OBJECT
public:
    /// Sets the additional lines of the card.
    void set_notes(const QStringList& notes);
    const QStringList& notes() const { return notes_; }
    /// Sets the price of the plan on screen, for the label of the dragged cut; empty while unknown.
    void set_price(const QString& price);
    const QString& price() const { return price_; }

    /// Paints the card beside the pointer, starting with the reason if the cut cannot be dropped.
    void paint(QPainter& painter, const CutOverlay& cuts, const CutDrag& drag, QPoint pointer) const;

Q_SIGNALS:
    void changed();

private:
    QStringList notes_;
    QString price_;
};

}  // namespace divisi::graphview
