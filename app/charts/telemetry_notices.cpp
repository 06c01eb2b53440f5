// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/charts/telemetry_notices.h"

#include <QLocale>
#include <QVBoxLayout>

namespace divisi::charts {

TelemetryNotices::TelemetryNotices(QWidget* parent)
    : QWidget(parent), problem_(new QLabel(this)), saved_(new QLabel(this)), left_out_(new QLabel(this)) {
    problem_->setObjectName(QStringLiteral("telemetryProblem"));
    problem_->setProperty("role", QStringLiteral("error"));
    saved_->setObjectName(QStringLiteral("telemetrySaved"));
    saved_->setProperty("role", QStringLiteral("faint"));
    left_out_->setObjectName(QStringLiteral("telemetryLeftOut"));
    left_out_->setProperty("role", QStringLiteral("faint"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    for (QLabel* label : {problem_, saved_, left_out_}) {
        label->setWordWrap(true);
        label->hide();
        column->addWidget(label);
    }
}

void TelemetryNotices::show_problem(const QString& sentence) {
    saved_->hide();
    problem_->setText(sentence);
    problem_->show();
}

void TelemetryNotices::show_saved(const QString& sentence) {
    problem_->hide();
    saved_->setText(sentence);
    saved_->show();
}

void TelemetryNotices::clear() {
    saved_->hide();
    problem_->hide();
}

void TelemetryNotices::show_left_out(std::uint64_t count, bool replayed) {
    left_out_->setVisible(count > 0);
    if (count == 0) return;
    const QString text = (replayed ? tr("Measurements missing up to here because they arrived too fast for the "
                                        "recording window: %1. States and steps are complete.")
                                   : tr("Measurements dropped because they arrived too fast for this window: %1. "
                                        "States and steps are complete."))
                             .arg(QLocale().toString(static_cast<qulonglong>(count)));
    if (left_out_->text() != text) left_out_->setText(text);
}

}  // namespace divisi::charts

#include "moc_telemetry_notices.cpp"
