// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graphview/score/operator_timeline_panel.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <cmath>

namespace divisi::graphview {

OperatorTimelinePanel::OperatorTimelinePanel(GraphView& graph, model::GraphDocument& document, model::PriceBoard& board,
                                             QWidget* parent)
    : QWidget(parent),
      view_(new OperatorTimeline(graph, document, board, this)),
      measure_(new QComboBox(this)),
      title_(new QLabel(this)),
      source_(new QLabel(this)),
      scroll_(new QScrollBar(Qt::Horizontal, this)) {
    setObjectName(QStringLiteral("scorePanel"));
    measure_->setObjectName(QStringLiteral("scoreMeasure"));
    source_->setObjectName(QStringLiteral("scoreSource"));
    source_->setTextFormat(Qt::PlainText);
    // A long reason must not widen the window; the tooltip shows the whole reason.
    source_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    scroll_->setObjectName(QStringLiteral("scoreScroll"));
    scroll_->setFocusPolicy(Qt::NoFocus);  // the view handles the keys for scrolling
    title_->setBuddy(measure_);
    for (int i = 0; i < score_measures; ++i) measure_->addItem(QString(), id(static_cast<TimelineMeasure>(i)));
    auto* row = new QHBoxLayout;
    row->setContentsMargins(16, 6, 16, 6);
    row->setSpacing(8);
    row->addWidget(title_);
    row->addWidget(measure_);
    row->addWidget(source_, 1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(row);
    column->addWidget(view_, 1);
    column->addWidget(scroll_);
    setFocusProxy(view_);
    connect(measure_, &QComboBox::currentIndexChanged, this, [this](int index) {
        view_->set_measure(static_cast<TimelineMeasure>(index));
        Q_EMIT measureChosen(static_cast<TimelineMeasure>(index));
    });
    connect(scroll_, &QScrollBar::valueChanged, view_, [this](int value) { view_->scroll_to(value); });
    connect(view_, &OperatorTimeline::viewChanged, this, &OperatorTimelinePanel::show_scroll);
    connect(view_, &OperatorTimeline::pricesChanged, this, &OperatorTimelinePanel::show_source);
    connect(&board, &model::PriceBoard::pricesChanged, this, &OperatorTimelinePanel::show_source);
    retranslate();
}

void OperatorTimelinePanel::set_measure(TimelineMeasure measure) {
    const QSignalBlocker quiet(measure_);
    measure_->setCurrentIndex(static_cast<int>(measure));
    view_->set_measure(measure);
}

void OperatorTimelinePanel::show_source() {
    source_->setText(view_->source_text());
    source_->setToolTip(view_->source_text());
}

void OperatorTimelinePanel::show_scroll() {
    const QSignalBlocker quiet(scroll_);
    const int shown = view_->width() - static_cast<int>(2 * TimelineAxis::margin);
    const int whole = static_cast<int>(std::ceil(view_->full_width() - 0.5));
    scroll_->setRange(0, std::max(0, whole - shown));
    scroll_->setPageStep(std::max(1, shown));
    scroll_->setSingleStep(std::max(1, shown / 10));
    scroll_->setValue(static_cast<int>(std::lround(view_->scrolled())));
}

void OperatorTimelinePanel::retranslate() {
    title_->setText(tr("Width:"));
    measure_->setAccessibleName(tr("Unit of the widths"));
    scroll_->setAccessibleName(tr("Visible part of the score"));
    for (int i = 0; i < score_measures; ++i) measure_->setItemText(i, measure_name(static_cast<TimelineMeasure>(i)));
    show_source();
}

void OperatorTimelinePanel::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) retranslate();
    QWidget::changeEvent(event);
}

}  // namespace divisi::graphview

#include "moc_operator_timeline_panel.cpp"
