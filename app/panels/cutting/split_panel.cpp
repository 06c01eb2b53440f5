// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/cutting/split_panel.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/model/wording/colours.h"
#include "app/model/wording/text.h"
#include "app/model/wording/text_scale.h"
#include "app/panels/tables/plain_table.h"
#include "app/panels/tables/text_table.h"

namespace divisi::panels {

namespace {

enum Column : int {
    segment_column,
    work_column,
    time_column,
    idle_column,
    memory_column,
    crossing_column,
    cut_column,
    column_count
};

/// Minimum width in pixels of the column of cuts, which shows both ends of an operator's name.
constexpr int least_cut_width = 96;

constexpr int first_stages = 2;  ///< number of stages requested for a newly opened model

/// Relative difference below which two plans' step times count as equal, because it would be shown as 0.0 %.
constexpr double indistinct = 0.0005;

RowCell bytes_cell(Bytes bytes) { return {model::bytes_text(bytes), QVariant::fromValue<qlonglong>(bytes)}; }

}  // namespace

SplitPanel::SplitPanel(model::GraphDocument& document, model::PriceBoard& board, QWidget* parent)
    : QWidget(parent),
      document_(document),
      board_(board),
      stages_label_(new QLabel(this)),
      price_(new QLabel(this)),
      summary_(new QLabel(this)),
      stages_(new QSpinBox(this)),
      equal_(new QPushButton(this)),
      optimize_(new QPushButton(this)),
      table_(new QTableWidget(0, column_count, this)) {
    stages_->setRange(1, 64);
    stages_->setValue(first_stages);
    stages_->setObjectName(QStringLiteral("stages"));
    stages_label_->setBuddy(stages_);
    equal_->setObjectName(QStringLiteral("equalFlops"));
    optimize_->setObjectName(QStringLiteral("optimize"));
    price_->setObjectName(QStringLiteral("price"));
    price_->setWordWrap(true);
    price_->setContentsMargins(0, 2, 0, 2);  // space for scripts with taller lines
    summary_->setProperty("role", QStringLiteral("faint"));
    summary_->setWordWrap(true);
    table_->setObjectName(QStringLiteral("segmentTable"));
    make_plain(*table_);
    table_->verticalHeader()->setDefaultSectionSize(28);
    QHeaderView* header = table_->horizontalHeader();
    header->setSectionResizeMode(cut_column, QHeaderView::Fixed);
    header->moveSection(cut_column, 1);  // next to the number, so that a narrow panel shows it
    table_->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    table_->viewport()->installEventFilter(this);
    // Queue the call: when the header sends the signal, it has not resized all columns yet.
    const auto fit = [this](int section) {
        if (section != cut_column) fit_cut_column();
    };
    connect(header, &QHeaderView::sectionResized, this, fit, Qt::QueuedConnection);
    show_sorting(*table_);
    table_->setTextElideMode(Qt::ElideMiddle);
    table_->setWordWrap(false);

    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    row->addWidget(stages_label_);
    row->addWidget(stages_);
    row->addWidget(equal_);
    row->addWidget(optimize_);
    row->addStretch();
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 16, 16, 16);
    column->setSpacing(8);
    column->addLayout(row);
    column->addWidget(price_);
    column->addWidget(summary_);
    column->addWidget(table_, 1);

    connect(equal_, &QPushButton::clicked, this, &SplitPanel::equalRequested);
    connect(optimize_, &QPushButton::clicked, this, &SplitPanel::optimumRequested);
    connect(&board_, &model::PriceBoard::pricesChanged, this, &SplitPanel::refresh_prices);
    connect(table_, &QTableWidget::cellActivated, this, &SplitPanel::choose);
    connect(table_, &QTableWidget::cellClicked, this, &SplitPanel::choose);
    connect(header, &QHeaderView::sortIndicatorChanged, this, &SplitPanel::fill);
    connect(&document_, &model::GraphDocument::cutsChanged, this, &SplitPanel::refresh);
    connect(&document_, &model::GraphDocument::modelChanged, this, &SplitPanel::show_model);
    retranslate();
}

/// Sets the width of the column of cuts to the space that the figures leave, but at least to least_cut_width.
void SplitPanel::fit_cut_column() {
    QHeaderView& header = *table_->horizontalHeader();
    const int others = header.length() - header.sectionSize(cut_column);
    const int least = std::max(header.sectionSizeHint(cut_column), model::scaled_px(least_cut_width));
    header.resizeSection(cut_column, std::max(least, table_->viewport()->width() - others));
}

bool SplitPanel::eventFilter(QObject* watched, QEvent* event) {
    if (watched == table_->viewport() && event->type() == QEvent::Resize) fit_cut_column();
    return QWidget::eventFilter(watched, event);
}

void SplitPanel::choose() {
    const QString id = chosen_id(*table_);
    if (id.isEmpty()) return;
    const int segment = id.toInt();
    if (document_.painting()) Q_EMIT segmentChosen(segment);
    else Q_EMIT cutChosen(segment < static_cast<int>(document_.cuts().size()) ? segment : -1);
}

void SplitPanel::show_model() {
    const model::ModelPtr before = std::exchange(model_, document_.model());
    refresh();
    const bool version = model_ && before && model::is_version_of(*before, *model_);
    if (!version && document_.segments().size() < 2) stages_->setValue(first_stages);
}

void SplitPanel::refresh() {
    const std::vector<model::SegmentSummary> segments = document_.segments();
    equal_->setEnabled(document_.legal_count() > 0);
    optimize_->setEnabled(document_.legal_count() > 0);
    stages_->setMaximum(std::clamp(document_.legal_count() + 1, 1, 64));
    if (segments.size() > 1) stages_->setValue(static_cast<int>(segments.size()));
    const model::Painting* painting = document_.shown_painting();
    auto* cut_header = new QTableWidgetItem(painting ? tr("Runs on") : tr("Cut after"));
    cut_header->setToolTip(painting ? tr("The node that runs the segment")
                                    : tr("The operator that the cut follows (in the drafts: segmentation point)"));
    table_->setHorizontalHeaderItem(cut_column, cut_header);
    summary_->setText(summary(segments));
    fill();
    show_price();
}

SplitPanel::Segment SplitPanel::segment_of(int number, const model::SegmentSummary& summary, bool last) const {
    const model::Painting* painting = document_.shown_painting();
    QString cut;
    if (painting) cut = QString::fromStdString(painting->places[static_cast<std::size_t>(number)]);
    else if (!last) cut = QString::fromStdString(document_.model()->graph.nodes[summary.last].name);
    Segment segment;
    segment.row = {QString::number(number),
                   {{QString::number(number + 1), number},
                    {model::percent(summary.share), summary.share},
                    {},
                    {},
                    {},
                    last ? RowCell() : bytes_cell(summary.bytes_out + summary.gradient_bytes_out),
                    {cut}}};
    segment.cut_tip = cut;
    segment.work_tip = tr("%Ln operators, weights %1", nullptr, static_cast<int>(summary.operators))
                           .arg(model::bytes_text(summary.parameter_bytes));
    if (has_price()) add_price(number, segment);
    return segment;
}

/// Fills the cells that need a price.
void SplitPanel::add_price(int number, Segment& segment) const {
    const model::Prices& prices = *board_.prices();
    const std::int32_t at = prices.stage(static_cast<std::size_t>(number));
    if (at < 0) return;  // the segment has no operators left
    const price::PredictedStage& stage = prices.prediction.stages[static_cast<std::size_t>(at)];
    std::vector<RowCell>& cells = segment.row.cells;
    cells[time_column] = {model::ms_text(stage.busy_ms), stage.busy_ms};
    cells[idle_column] = {model::percent(stage.bubble), stage.bubble};
    cells[memory_column] = bytes_cell(stage.memory);
    if (!stage.fits()) {
        cells[memory_column].text.prepend(QStringLiteral("\u26a0 "));
        cells[memory_column].colour = model::colours_of(palette()).bad;
    }
    const QString name = QString::fromStdString(prices.placement.stages[static_cast<std::size_t>(at)].name);
    if (prices.painting) {
        cells[cut_column] = {name.section(u' ', 0, -2)};  // the node's name without the name of the device
        segment.cut_tip = tr("Runs as stage %1 on %2").arg(at + 1).arg(name);
    }
    segment.memory_tip =
        stage.capacity
            ? tr("%1 of %2 on %3").arg(model::bytes_text(stage.memory), model::bytes_text(*stage.capacity), name)
            : tr("on %1").arg(name);
}

void SplitPanel::fill() {
    const std::vector<model::SegmentSummary> summaries = document_.segments();
    std::vector<Segment> segments;
    std::vector<TableRow> rows;
    for (const model::SegmentSummary& summary : summaries) {
        const bool last = !document_.shown_painting() && segments.size() + 1 == summaries.size();
        segments.push_back(segment_of(static_cast<int>(segments.size()), summary, last));
        rows.push_back(segments.back().row);
    }
    show_rows(*table_, std::move(rows));
    const model::Colours& colours = model::colours_of(palette());
    for (int number = 0; number < table_->rowCount(); ++number) {
        const Segment& segment = segments[static_cast<std::size_t>(number)];
        const int row = row_of(*table_, segment.row.id);
        for (int column = 0; column < column_count; ++column) {
            const auto side = column == segment_column || column == cut_column ? Qt::AlignLeft : Qt::AlignRight;
            table_->item(row, column)->setTextAlignment(Qt::AlignVCenter | side);
            table_->item(row, column)->setToolTip({});
        }
        table_->item(row, segment_column)->setIcon(model::segment_swatch(number, colours));
        table_->item(row, work_column)->setToolTip(segment.work_tip);
        table_->item(row, memory_column)->setToolTip(segment.memory_tip);
        table_->item(row, cut_column)->setToolTip(segment.cut_tip);
    }
}

QString SplitPanel::summary(const std::vector<model::SegmentSummary>& segments) const {
    if (!document_.model()) return tr("Open a model to see its segments.");
    if (document_.legal_count() == 0) return tr("This model has no legal cut position.");
    if (segments.size() < 2) return tr("One segment: the whole model. Add a cut to split it.");
    double largest = 0;
    for (const model::SegmentSummary& segment : segments) largest = std::max(largest, segment.share);
    return tr("%1 segments; the heaviest does %2 of the work, an even share is %3.")
        .arg(segments.size())
        .arg(model::percent(largest), model::percent(1.0 / static_cast<double>(segments.size())));
}

bool SplitPanel::has_price() const {
    const auto& prices = board_.prices();
    return prices && prices->ok() && prices->are_of(document_.shown_split());
}

/// Updates the prices. The table shows prices only if they belong to the cuts on screen. The line above the table
/// always shows the last price.
void SplitPanel::refresh_prices() {
    if (has_price()) fill();
    show_price();
}

void SplitPanel::show_price() {
    const auto& prices = board_.prices();
    if (!prices || !document_.model()) return price_->setText({});
    if (!prices->ok()) return price_->setText(tr("No price: %1").arg(prices->problem));
    const price::Prediction& prediction = prices->prediction;
    QString text = tr("<b>%1</b> a step").arg(model::ms_text(prediction.step_ms));
    text += distance_text(prediction.step_ms);
    if (prediction.profiled_share > 0.99) text += tr("; measured operators");
    else if (prediction.profiled_share > 0) text += tr("; %1 measured").arg(model::percent(prediction.profiled_share));
    else text += tr("; unmeasured operators");
    if (prediction.link_source) text += link_text(*prediction.link_source);
    price_->setToolTip(tr(
        "Share of the price that comes from operators measured on this type of device; the rest is estimated from "
        "FLOPs, bytes and the rates of the device. \"Measure operators\" in the Task menu measures the operators, or "
        "says why this machine cannot."));
    price_->setText(text);
}

/// Compares the plan on screen with the fastest plan found with the same number of stages, as a text.
QString SplitPanel::distance_text(double step_ms) const {
    const std::optional<model::Fastest> fastest = board_.comparable();
    if (!fastest) return {};
    const int stages = static_cast<int>(fastest->cuts.size()) + 1;
    const double above = step_ms / fastest->step_ms - 1;
    if (std::abs(above) < indistinct)
        return fastest->complete ? tr(", the best plan found with %Ln stages", nullptr, stages)
                                 : tr(", the best found so far");
    const QString share = model::percent(std::abs(above));
    const QString best = model::ms_text(fastest->step_ms);
    if (above < 0) return tr(", %1 below the best found (%2)").arg(share, best);
    return fastest->complete ? tr(", %1 above the best found (%2)").arg(share, best)
                             : tr(", %1 above the best found so far (%2)").arg(share, best);
}

/// Returns a text about the source of the link figures that the price is based on.
QString SplitPanel::link_text(price::LinkSource source) {
    switch (source) {
        case price::LinkSource::measured: return tr(", measured links");
        case price::LinkSource::stated: return tr(", links from the cluster file");
        case price::LinkSource::standard: break;
    }
    return tr(", default links");
}

void SplitPanel::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
        board_.ask_again();
    }
    if (event->type() == QEvent::PaletteChange) refresh();
    QWidget::changeEvent(event);
}

void SplitPanel::retranslate() {
    stages_label_->setText(tr("Stages"));
    stages_->setAccessibleName(tr("Number of stages"));
    equal_->setText(tr("Equal FLOPs"));
    equal_->setToolTip(tr("Cut into this many segments, with work as equal as legal positions allow"));
    table_->setHorizontalHeaderLabels(
        {tr("No."), tr("Work"), tr("Time"), tr("Idle"), tr("Memory"), tr("Crossing"), tr("Cut after")});
    table_->horizontalHeaderItem(segment_column)
        ->setToolTip(tr("Number of the segment, a group of operators that run as one (in the drafts: micro-model)"));
    table_->horizontalHeaderItem(time_column)->setToolTip(tr("Predicted compute time in one step"));
    table_->horizontalHeaderItem(idle_column)->setToolTip(tr("Predicted share of a step spent waiting (bubble)"));
    table_->horizontalHeaderItem(memory_column)
        ->setToolTip(tr("Predicted peak of memory use; the tooltip of a cell "
                        "names the device"));
    optimize_->setText(tr("Optimize"));
    optimize_->setToolTip(tr("Move the cuts to the fastest plan found with this many stages; one undo step"));
    table_->setAccessibleName(tr("Segments and the cuts between them"));
    refresh();
}

}  // namespace divisi::panels

#include "moc_split_panel.cpp"
