// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/charts/export_bar.h"

#include <QBuffer>
#include <QDir>
#include <QFileDialog>
#include <QHBoxLayout>
#include <utility>

#include "app/client/refusal_text.h"
#include "app/model/documents/save_bytes.h"
#include "app/model/wording/text.h"

namespace divisi::charts {

ExportBar::ExportBar(const ChartGrid& grid, std::function<void()> update, QWidget* parent)
    : QWidget(parent),
      grid_(grid),
      update_(std::move(update)),
      csv_(new QPushButton(this)),
      image_(new QPushButton(this)) {
    csv_->setObjectName(QStringLiteral("exportCsv"));
    image_->setObjectName(QStringLiteral("exportImage"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(8);
    row->addWidget(csv_);
    row->addWidget(image_);
    connect(csv_, &QPushButton::clicked, this, &ExportBar::choose_csv);
    connect(image_, &QPushButton::clicked, this, &ExportBar::choose_image);
    connect(&export_, &CurveExport::ended, this, [this](const QString& file, std::int64_t values) {
        Q_EMIT saved(tr("Values exported: %1, to %2.").arg(model::count_text(values), QDir::toNativeSeparators(file)));
        name_csv();
    });
    connect(&export_, &CurveExport::failed, this, [this](const Error& error) {
        Q_EMIT failed(client::quoted(error));
        name_csv();
    });
    retranslate();
}

/// Starts an export of values, or cancels the running export.
void ExportBar::choose_csv() {
    if (export_.active()) return export_.cancel();
    choose_file(tr("Export the values shown"), tr("Tables (*.csv)"), "csv",
                [this](const QString& file) { save_csv(file); });
}

void ExportBar::choose_image() {
    choose_file(tr("Export the charts"), tr("Images (*.png)"), "png", [this](const QString& file) {
        const Result<void> done = save_image(file);
        if (!done.ok()) return Q_EMIT failed(client::quoted(done.error()));
        Q_EMIT saved(tr("The charts are in %1.").arg(QDir::toNativeSeparators(file)));
    });
}

void ExportBar::choose_file(const QString& title, const QString& filter, const char* suffix,
                            std::function<void(const QString&)> save) {
    auto* dialog = new QFileDialog(this, title, QString(), filter);
    dialog->setObjectName(QStringLiteral("telemetryExport"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QString::fromLatin1(suffix));
    connect(dialog, &QFileDialog::fileSelected, this, std::move(save));
    dialog->open();
}

/// Returns the shown ranges of all charts in the grid.
std::vector<CurveExport::Part> ExportBar::parts() const {
    std::vector<CurveExport::Part> parts;
    for (std::size_t i = 0; i < chart_count; ++i) {
        const auto which = static_cast<Chart>(i);
        if (!grid_.is_placed(which)) continue;
        const LineChart& chart = grid_.chart(which);
        const auto [from, to] = chart.shown_range();
        const QString x_unit = is_by_step(which) ? QStringLiteral("step") : QStringLiteral("s");
        for (const LineChart::Line& line : chart.lines())
            parts.push_back({{TelemetryLines::title(which), line.name, x_unit, TelemetryLines::unit(which), {}},
                             line.series,
                             from + line.shift,
                             to + line.shift,
                             line.shift,
                             line.scale});
    }
    return parts;
}

void ExportBar::save_csv(const QString& file) {
    if (export_.active()) return;
    update_();
    export_.start(file, parts());
    Q_EMIT started();
    name_csv();
}

Result<void> ExportBar::save_image(const QString& file) {
    update_();
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    grid_.image().save(&buffer, "PNG");
    return model::save_bytes(file, bytes);
}

void ExportBar::name_csv() { csv_->setText(export_.active() ? tr("Cancel the export") : tr("Export values...")); }

void ExportBar::retranslate() {
    name_csv();
    csv_->setToolTip(tr("Every value in the ranges shown, as CSV with units and unlocalised numbers"));
    image_->setText(tr("Export image..."));
    image_->setToolTip(tr("All charts as they are shown, as PNG"));
}

}  // namespace divisi::charts

#include "moc_export_bar.cpp"
