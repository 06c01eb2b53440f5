// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/split_panel.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QPainter>
#include <QVBoxLayout>
#include <algorithm>

#include "app/model/colours.h"
#include "app/model/text.h"

namespace divisi::panels {

namespace {

QIcon swatch(int index, const model::Colours& colours) {
    QPixmap pixmap(16, 16);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    const QColor hue = model::segment_colour(index, colours);
    painter.setPen(hue);
    painter.setBrush(QBrush(hue, model::segment_pattern(index)));
    painter.drawRect(1, 1, 13, 13);
    return pixmap;
}

}  // namespace

SplitPanel::SplitPanel(model::GraphDocument& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      stages_label_(new QLabel(this)),
      summary_(new QLabel(this)),
      stages_(new QSpinBox(this)),
      equal_(new QPushButton(this)),
      table_(new QTableWidget(0, 6, this)) {
    stages_->setRange(1, 64);
    stages_->setValue(2);
    stages_->setObjectName(QStringLiteral("stages"));
    stages_label_->setBuddy(stages_);
    equal_->setObjectName(QStringLiteral("equalFlops"));
    summary_->setProperty("role", QStringLiteral("faint"));
    summary_->setWordWrap(true);
    table_->setObjectName(QStringLiteral("segmentTable"));
    table_->verticalHeader()->hide();
    table_->verticalHeader()->setDefaultSectionSize(28);
    table_->setShowGrid(false);
    table_->setAlternatingRowColors(true);
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setTabKeyNavigation(false);
    table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    table_->horizontalHeader()->setHighlightSections(false);
    table_->horizontalHeader()->setSectionResizeMode(5, QHeaderView::Stretch);
    table_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    table_->setTextElideMode(Qt::ElideMiddle);
    table_->setWordWrap(false);

    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    row->addWidget(stages_label_);
    row->addWidget(stages_);
    row->addWidget(equal_);
    row->addStretch();
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 16, 16, 16);
    column->setSpacing(8);
    column->addLayout(row);
    column->addWidget(summary_);
    column->addWidget(table_, 1);

    connect(equal_, &QPushButton::clicked, this, &SplitPanel::equalRequested);
    connect(table_, &QTableWidget::cellActivated, this,
            [this](int at, int) { Q_EMIT cutChosen(at < static_cast<int>(document_.cuts().size()) ? at : -1); });
    connect(table_, &QTableWidget::cellClicked, this,
            [this](int at, int) { Q_EMIT cutChosen(at < static_cast<int>(document_.cuts().size()) ? at : -1); });
    connect(&document_, &model::GraphDocument::cutsChanged, this, &SplitPanel::refresh);
    connect(&document_, &model::GraphDocument::modelChanged, this, &SplitPanel::refresh);
    retranslate();
}

void SplitPanel::refresh() {
    const std::vector<model::SegmentSummary> segments = document_.segments();
    equal_->setEnabled(document_.legal_count() > 0);
    stages_->setMaximum(std::clamp(document_.legal_count() + 1, 1, 64));
    if (segments.size() > 1) stages_->setValue(static_cast<int>(segments.size()));
    table_->setRowCount(static_cast<int>(segments.size()));
    const model::Colours& colours = model::colours_of(palette());
    double largest = 0;
    for (int row = 0; row < table_->rowCount(); ++row) {
        const model::SegmentSummary& segment = segments[static_cast<std::size_t>(row)];
        largest = std::max(largest, segment.share);
        const bool last = row + 1 == table_->rowCount();
        const QString cells[] = {
            QString::number(row + 1),
            model::percent(segment.share),
            model::count_text(segment.last - segment.first + 1),
            model::bytes_text(segment.parameter_bytes),
            last ? QString() : model::bytes_text(segment.bytes_out + segment.gradient_bytes_out),
            last ? QString() : QString::fromStdString(document_.model()->graph.nodes[segment.last].name),
        };
        for (int column = 0; column < 6; ++column) {
            auto* item = new QTableWidgetItem(cells[column]);
            const auto side = column == 0 || column == 5 ? Qt::AlignLeft : Qt::AlignRight;
            item->setTextAlignment(Qt::AlignVCenter | side);
            if (column == 5) item->setToolTip(cells[column]);
            table_->setItem(row, column, item);
        }
        table_->item(row, 0)->setIcon(swatch(row, colours));
    }
    if (!document_.model()) summary_->setText(tr("Open a model to see its segments."));
    else if (document_.legal_count() == 0) summary_->setText(tr("This model has no place where it can be cut."));
    else if (segments.size() < 2) summary_->setText(tr("One segment: the whole model. Add a cut to split it."));
    else {
        const double even = 1.0 / static_cast<double>(segments.size());
        summary_->setText(tr("%1 segments; the heaviest does %2 of the work, an even share is %3.")
                              .arg(segments.size())
                              .arg(model::percent(largest), model::percent(even)));
    }
}

void SplitPanel::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) retranslate();
    if (event->type() == QEvent::PaletteChange) refresh();
    QWidget::changeEvent(event);
}

void SplitPanel::retranslate() {
    stages_label_->setText(tr("Stages"));
    stages_->setAccessibleName(tr("Number of stages"));
    equal_->setText(tr("Equal FLOPs"));
    equal_->setToolTip(tr("Cut into this many segments of work as equal as the legal positions allow"));
    table_->setHorizontalHeaderLabels(
        {tr("Segment"), tr("Work"), tr("Ops"), tr("Weights"), tr("Crossing"), tr("Cut after")});
    table_->setAccessibleName(tr("Segments and the cuts between them"));
    refresh();
}

}  // namespace divisi::panels
