// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPushButton>
#include <QWidget>
#include <functional>
#include <vector>

#include "app/charts/chart_grid.h"
#include "app/charts/curve_export.h"
#include "backend/base/result.h"

namespace divisi::charts {

/// Two buttons that save the charts to a file: as values or as a picture. Owns the running export of values.
class ExportBar : public QWidget {
    Q_OBJECT
public:
    /// `update` brings all charts up to date, including those scrolled out of sight. `grid` must outlive the bar.
    ExportBar(const ChartGrid& grid, std::function<void()> update, QWidget* parent = nullptr);

    /// Writes the values in the background, one file at a time, and reports completion or the error.
    void save_csv(const QString& file);
    /// Writes a picture of all charts before it returns.
    Result<void> save_image(const QString& file);
    /// Returns whether values are being written.
    bool active() const { return export_.active(); }
    QPushButton& csv() { return *csv_; }
    QPushButton& image() { return *image_; }
    /// Names the buttons in the current language.
    void retranslate();

Q_SIGNALS:
    /// An export of values has started.
    void started();
    /// An export has ended, with a sentence for the user: where the file is, or what failed.
    void saved(const QString& sentence);
    void failed(const QString& sentence);

private:
    void choose_file(const QString& title, const QString& filter, const char* suffix,
                     std::function<void(const QString&)> save);
    void choose_csv();
    void choose_image();
    std::vector<CurveExport::Part> parts() const;
    void name_csv();

    const ChartGrid& grid_;
    std::function<void()> update_;
    QPushButton *csv_, *image_;
    CurveExport export_;
};

}  // namespace divisi::charts
