// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graphview/diagram/paint_bar.h"

#include <QEvent>
#include <QScrollBar>
#include <QVBoxLayout>
#include <algorithm>

#include "app/model/wording/text.h"

namespace divisi::graphview {

PaintBar::PaintBar(GraphView& view, model::GraphDocument& document, QWidget* parent)
    : QWidget(parent),
      view_(view),
      document_(document),
      title_(new QLabel(this)),
      message_(new QLabel),
      area_(new QScrollArea(this)),
      holder_(new QWidget),
      row_(new QHBoxLayout(holder_)),
      mend_(new QPushButton),
      cuts_(new QPushButton(this)),
      close_(new QToolButton(this)),
      problem_(new QWidget(this)) {
    setObjectName(QStringLiteral("paintBar"));
    build();
    connect(mend_, &QPushButton::clicked, &view_.brush(), &SegmentBrush::mend);
    connect(cuts_, &QPushButton::clicked, this, &PaintBar::cutsRequested);
    connect(close_, &QToolButton::clicked, &view_, [this] { view_.brush().set_painting(false); });
    connect(&view_.brush(), &SegmentBrush::changed, this, &PaintBar::refresh);
    connect(&document_, &model::GraphDocument::cutsChanged, this, &PaintBar::refresh);
    retranslate();
}

/// Builds the bar. Brushes scroll, since many of them in a row would widen the window.
void PaintBar::build() {
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
    row_->setContentsMargins(0, 0, 0, 0);
    row_->addStretch(1);
    area_->setObjectName(QStringLiteral("brushes"));
    area_->setWidget(holder_);
    area_->setWidgetResizable(true);
    area_->setFrameShape(QFrame::NoFrame);
    area_->setFocusPolicy(Qt::NoFocus);
    area_->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area_->installEventFilter(this);
    holder_->installEventFilter(this);
    bar->addWidget(title_);
    bar->addWidget(area_, 1);
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
}

void PaintBar::refresh() {
    // If the plan cannot run, show the bar even when the user is not painting.
    const bool shown = view_.brush().painting() || !document_.shown_cycle().empty();
    setVisible(shown);
    if (!shown) return;
    refresh_brushes();
    refresh_message();
}

void PaintBar::refresh_brushes() {
    const int segments = view_.brush().segment_count();
    const auto wanted = static_cast<std::size_t>(std::min<std::int64_t>(segments + 1, plan::most_stages));
    while (brushes_.size() > wanted) {
        brushes_.back()->hide();  // hidden so that it needs no space until it is deleted
        brushes_.back()->deleteLater();
        brushes_.pop_back();
    }
    while (brushes_.size() < wanted) add_brush();
    const std::vector<model::SegmentSummary> summaries = document_.segments();
    for (std::size_t i = 0; i < brushes_.size(); ++i) {
        label_brush(i, static_cast<int>(i) == segments ? nullptr : &summaries[i]);
        brushes_[i]->setChecked(static_cast<int>(i) == view_.brush().segment());
    }
    fit_brushes();
    // Called later, when the new brushes have their positions.
    QMetaObject::invokeMethod(this, &PaintBar::show_chosen_brush, Qt::QueuedConnection);
}

void PaintBar::add_brush() {
    const auto segment = static_cast<int>(brushes_.size());
    auto* brush = new QToolButton(holder_);
    brush->setObjectName(QStringLiteral("brush%1").arg(segment + 1));
    brush->setCheckable(true);
    brush->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    brush->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(brush, &QToolButton::clicked, this, [this, segment] {
        view_.brush().choose(segment);
        view_.setFocus();
    });
    connect(brush, &QWidget::customContextMenuRequested, this, [this, brush, segment](const QPoint& at) {
        if (segment < view_.brush().segment_count()) Q_EMIT segmentMenuRequested(segment, brush->mapToGlobal(at));
    });
    row_->insertWidget(segment, brush);
    brushes_.push_back(brush);
}

/// `segment` is null for the brush that creates a new segment.
void PaintBar::label_brush(std::size_t which, const model::SegmentSummary* segment) {
    QToolButton& brush = *brushes_[which];
    const model::Painting* painting = document_.shown_painting();
    QString text = segment ? QString::number(which + 1) : tr("New"), tip;
    if (!segment) {
        tip = tr("Start segment %1 with the next stroke (N)").arg(which + 1);
    } else {
        tip = tr("Segment %1: %2 operators, %3 of the work")
                  .arg(which + 1)
                  .arg(model::count_text(segment->operators), model::percent(segment->share));
        if (segment->operators == 1)
            tip = tr("Segment %1: 1 operator, %2 of the work").arg(which + 1).arg(model::percent(segment->share));
        if (segment->operators == 0) tip = tr("Segment %1 has no operator left and will not run").arg(which + 1);
        if (painting && !painting->places[which].empty()) {
            const QString node = QString::fromStdString(painting->places[which]);
            text += QStringLiteral(" \u2192 ") + node;
            tip += u'\n' + tr("Runs on %1").arg(node);
        }
    }
    brush.setText(text);
    if (brush.icon().isNull())
        brush.setIcon(model::segment_swatch(static_cast<int>(which), model::colours_of(palette())));
    brush.setToolTip(tip);
    brush.setAccessibleName(segment ? tr("Segment %1").arg(which + 1) : tr("New segment"));
}

/// Sets the height to the height of a brush, plus the height of the scroll bar if it is visible.
void PaintBar::fit_brushes() {
    const QSize wanted = holder_->sizeHint();
    const bool scrolls = wanted.width() > area_->width();
    area_->setFixedHeight(wanted.height() + (scrolls ? area_->horizontalScrollBar()->sizeHint().height() : 0));
}

void PaintBar::show_chosen_brush() {
    const auto chosen = static_cast<std::size_t>(view_.brush().segment());
    if (isVisible() && chosen < brushes_.size()) area_->ensureWidgetVisible(brushes_[chosen], 24, 0);
}

bool PaintBar::eventFilter(QObject* of, QEvent* event) {
    const bool resized = of == area_ && event->type() == QEvent::Resize;
    if (resized || (of == holder_ && event->type() == QEvent::LayoutRequest)) fit_brushes();
    return QWidget::eventFilter(of, event);
}

void PaintBar::refresh_message() {
    const auto& cycle = document_.shown_cycle();
    problem_->setVisible(!cycle.empty());
    cuts_->setEnabled(document_.painting() != nullptr);
    if (cycle.empty()) return message_->setText({});
    message_->setText(QStringLiteral("\u26a0 ") + model::cycle_text(*document_.model(), cycle));
    if (document_.previewing()) return mend_->setVisible(false);  // the running stroke may remove the cycle by itself
    const auto mended = view_.brush().mended();
    mend_->setVisible(mended.has_value());
    if (mended)
        mend_->setText(
            tr("Mend (moves %1)").arg(model::difference(*document_.model(), *mended, *document_.painting())));
}

void PaintBar::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) retranslate();
    if (event->type() == QEvent::PaletteChange) {
        for (QToolButton* brush : brushes_) brush->setIcon({});
        refresh();
    }
    QWidget::changeEvent(event);
}

void PaintBar::retranslate() {
    title_->setText(tr("Paint segment"));
    mend_->setToolTip(tr("Move as few operators as possible so that no segments wait for each other (M)"));
    cuts_->setText(tr("Back to cuts"));
    cuts_->setToolTip(tr("Return to cuts, and keep only cuts that no painted segment crosses"));
    close_->setToolTip(tr("Leave painting (Esc)"));
    close_->setAccessibleName(close_->toolTip());
    refresh();
}

}  // namespace divisi::graphview

#include "moc_paint_bar.cpp"
