// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/charts/chart_menu.h"

#include <QClipboard>
#include <QGuiApplication>

namespace divisi::charts {

namespace {

constexpr double zoom_factor = 0.5;  ///< new width of the range relative to the old one

}  // namespace

void ChartMenu::open(QWidget& view, Chart which, const QPoint& global, double x) const {
    auto* menu = new QMenu(&view);
    menu->setObjectName(QStringLiteral("chartMenu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    add_here(*menu, which, x);
    menu->addSeparator();
    add_zoom(*menu, which, x);
    menu->addSeparator();
    for (QPushButton* button : {&parts_.exports.csv(), &parts_.exports.image()})
        menu->addAction(button->text(), button, &QPushButton::click);
    menu->popup(global);
}

void ChartMenu::add_here(QMenu& menu, Chart which, double x) const {
    LineChart* chart = &parts_.grid.chart(which);
    const bool by_step = is_by_step(which);
    QAction* choose = menu.addAction(by_step ? tr("Select this step") : tr("Show this moment in all views"), chart,
                                     [chart, x] { Q_EMIT chart->clicked(x); });
    choose->setEnabled(by_step ? parts_.mark.follows() : parts_.cursor.follows());
    menu.addAction(tr("Copy the values here"), chart,
                   [chart, x] { QGuiApplication::clipboard()->setText(chart->texts_at(x).join(u'\n')); });
    menu.addAction(tr("Copy the chart as an image"), chart,
                   [chart] { QGuiApplication::clipboard()->setPixmap(chart->grab()); });
}

void ChartMenu::add_zoom(QMenu& menu, Chart which, double x) const {
    LineChart* chart = &parts_.grid.chart(which);
    menu.addAction(tr("Zoom in here"), chart, [chart, x] { chart->zoom(zoom_factor, x); });
    menu.addAction(tr("Zoom out"), chart, [chart, x] { chart->zoom(1 / zoom_factor, x); });
    if (chart->zoomed()) menu.addAction(tr("Leave the range"), chart, [chart] { chart->reset(); });
    if (is_by_step(which)) return;
    QAction* whole = menu.addAction(tr("Show the full range"), &parts_.zoom, &ZoomRanges::show_whole);
    whole->setCheckable(true);
    whole->setChecked(parts_.zoom.whole() && !chart->zoomed());
}

}  // namespace divisi::charts
