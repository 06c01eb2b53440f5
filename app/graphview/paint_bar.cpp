// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graphview/paint_bar.h"

#include <QEvent>
#include <QVBoxLayout>
#include <algorithm>

#include "app/model/text.h"

namespace divisi::graphview {

PaintBar::PaintBar(GraphView& view, model::GraphDocument& document, QWidget* parent)
    : QWidget(parent),
      view_(view),
      document_(document),
      title_(new QLabel(this)),
      message_(new QLabel),
      row_(new QHBoxLayout),
      mend_(new QPushButton),
      cuts_(new QPushButton(this)),
      close_(new QToolButton(this)),
      problem_(new QWidget(this)) {
    setObjectName(QStringLiteral("paintBar"));
    message_->setObjectName(QStringLiteral("paintMessage"));
    message_->setProperty("role", QStringLiteral("error"));
    message_->setWordWrap(true);
    mend_->setObjectName(QStringLiteral("mendSegments"));
    cuts_->setObjectName(QStringLiteral("backToCuts"));
    title_->setProperty("role", QStringLiteral("heading"));
    close_->setText(QStringLiteral("\u2715"));
    auto* bar = new QHBoxLayout;
    bar->setSpacing(8);
    row_->setSpacing(4);
    bar->addWidget(title_);
    bar->addLayout(row_);
    bar->addStretch(1);
    bar->addWidget(cuts_);
    bar->addWidget(close_);
    auto* below = new QHBoxLayout(problem_);
    below->setContentsMargins(0, 0, 0, 0);
    below->setSpacing(8);
    below->addWidget(message_, 1);
    below->addWidget(mend_, 0, Qt::AlignTop);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 8, 8, 8);
    column->setSpacing(8);
    column->addLayout(bar);
    column->addWidget(problem_);
    connect(mend_, &QPushButton::clicked, &view_, &GraphView::mend);
    connect(cuts_, &QPushButton::clicked, this, &PaintBar::cutsRequested);
    connect(close_, &QToolButton::clicked, &view_, [this] { view_.setPainting(false); });
    connect(&view_, &GraphView::paintingChanged, this, &PaintBar::refresh);
    connect(&document_, &model::GraphDocument::cutsChanged, this, &PaintBar::refresh);
    retranslate();
}

void PaintBar::refresh() {
    // A plan that cannot run says so whatever else is done.
    const bool shown = view_.painting() || !document_.shown_cycle().empty();
    setVisible(shown);
    if (!shown) return;
    refresh_brushes();
    refresh_message();
}

void PaintBar::refresh_brushes() {
    const int segments = view_.segment_count();
    const auto wanted = static_cast<std::size_t>(std::min<std::int64_t>(segments + 1, plan::most_stages));
    while (brushes_.size() > wanted) {
        brushes_.back()->deleteLater();
        brushes_.pop_back();
    }
    while (brushes_.size() < wanted) {
        const auto segment = static_cast<int>(brushes_.size());
        auto* brush = new QToolButton(this);
        brush->setObjectName(QStringLiteral("brush%1").arg(segment + 1));
        brush->setCheckable(true);
        brush->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        brush->setContextMenuPolicy(Qt::CustomContextMenu);
        connect(brush, &QToolButton::clicked, this, [this, segment] {
            view_.setBrush(segment);
            view_.setFocus();
        });
        connect(brush, &QWidget::customContextMenuRequested, this, [this, brush, segment](const QPoint& at) {
            if (segment < view_.segment_count()) Q_EMIT segmentMenuRequested(segment, brush->mapToGlobal(at));
        });
        brushes_.push_back(brush);
        row_->addWidget(brush);
    }
    const std::vector<model::SegmentSummary> summaries = document_.segments();
    const model::Painting* painting = document_.shown_painting();
    const model::Colours& colours = model::colours_of(palette());
    for (std::size_t i = 0; i < brushes_.size(); ++i) {
        const bool fresh = static_cast<int>(i) == segments;
        QString text = fresh ? tr("New") : QString::number(i + 1), tip;
        if (fresh) {
            tip = tr("Begin segment %1 with the next stroke (N)").arg(i + 1);
        } else {
            tip = tr("Segment %1: %2 operators, %3 of the work")
                      .arg(i + 1)
                      .arg(model::count_text(summaries[i].operators), model::percent(summaries[i].share));
            if (summaries[i].operators == 1)
                tip = tr("Segment %1: 1 operator, %2 of the work").arg(i + 1).arg(model::percent(summaries[i].share));
            if (summaries[i].operators == 0) tip = tr("Segment %1 has no operator left and will not run").arg(i + 1);
            if (painting && !painting->places[i].empty()) {
                const QString node = QString::fromStdString(painting->places[i]);
                text += QStringLiteral(" \u2192 ") + node;
                tip += u'\n' + tr("Runs on %1").arg(node);
            }
        }
        brushes_[i]->setText(text);
        brushes_[i]->setIcon(model::segment_swatch(static_cast<int>(i), colours));
        brushes_[i]->setToolTip(tip);
        brushes_[i]->setAccessibleName(fresh ? tr("New segment") : tr("Segment %1").arg(i + 1));
        brushes_[i]->setChecked(static_cast<int>(i) == view_.brush());
    }
}

void PaintBar::refresh_message() {
    const auto& cycle = document_.shown_cycle();
    problem_->setVisible(!cycle.empty());
    cuts_->setEnabled(document_.painting() != nullptr);
    if (cycle.empty()) return message_->setText({});
    message_->setText(QStringLiteral("\u26a0 ") + model::cycle_text(*document_.model(), cycle));
    if (document_.previewing()) return mend_->setVisible(false);  // the stroke may mend it
    const auto mended = view_.mended();
    mend_->setVisible(mended.has_value());
    if (mended)
        mend_->setText(
            tr("Mend (moves %1)").arg(model::difference(*document_.model(), *mended, *document_.painting())));
}

void PaintBar::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) retranslate();
    if (event->type() == QEvent::PaletteChange) refresh();
    QWidget::changeEvent(event);
}

void PaintBar::retranslate() {
    title_->setText(tr("Paint segment"));
    mend_->setToolTip(tr("Give as few operators as possible to other segments, so that none waits for another (M)"));
    cuts_->setText(tr("Back to cuts"));
    cuts_->setToolTip(tr("Divide by cuts again: those that no painted segment reaches across"));
    close_->setToolTip(tr("Leave painting (Esc)"));
    close_->setAccessibleName(close_->toolTip());
    refresh();
}

}  // namespace divisi::graphview
