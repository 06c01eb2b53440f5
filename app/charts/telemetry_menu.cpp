// SPDX-License-Identifier: GPL-3.0-or-later
// The context menu of a telemetry chart, opened by the right button or the menu key.
#include <QClipboard>
#include <QGuiApplication>
#include <QMenu>

#include "app/charts/telemetry_view.h"

namespace divisi::charts {

namespace {

constexpr double zoom_factor = 0.5;  ///< new width of the range relative to the old one

}  // namespace

void TelemetryView::open_menu(Chart which, const QPoint& global, double x) {
    auto* menu = new QMenu(this);
    menu->setObjectName(QStringLiteral("chartMenu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    add_here(*menu, which, x);
    menu->addSeparator();
    add_zoom(*menu, which, x);
    menu->addSeparator();
    menu->addAction(csv_->text(), csv_, &QPushButton::click);
    menu->addAction(image_->text(), image_, &QPushButton::click);
    menu->popup(global);
}

void TelemetryView::add_here(QMenu& menu, Chart which, double x) {
    LineChart* chart = charts_[static_cast<std::size_t>(which)];
    const bool by_step = is_by_step(which);
    QAction* choose = menu.addAction(by_step ? tr("Select this step") : tr("Show this moment in all views"), this,
                                     [chart, x] { Q_EMIT chart->clicked(x); });
    choose->setEnabled(by_step ? selection_ != nullptr : moment_ != nullptr);
    menu.addAction(tr("Copy the values here"), this,
                   [chart, x] { QGuiApplication::clipboard()->setText(chart->texts_at(x).join(u'\n')); });
    menu.addAction(tr("Copy the chart as an image"), this,
                   [chart] { QGuiApplication::clipboard()->setPixmap(chart->grab()); });
}

void TelemetryView::add_zoom(QMenu& menu, Chart which, double x) {
    LineChart* chart = charts_[static_cast<std::size_t>(which)];
    menu.addAction(tr("Zoom in here"), this, [chart, x] { chart->zoom(zoom_factor, x); });
    menu.addAction(tr("Zoom out"), this, [chart, x] { chart->zoom(1 / zoom_factor, x); });
    if (chart->zoomed()) menu.addAction(tr("Leave the range"), this, [chart] { chart->reset(); });
    if (is_by_step(which)) return;
    QAction* whole = menu.addAction(tr("Show the full range"), this, &TelemetryView::show_whole);
    whole->setCheckable(true);
    whole->setChecked(whole_ && !chart->zoomed());
}

}  // namespace divisi::charts
