// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSplitter>
#include <QTableWidget>
#include <QTimer>
#include <QWidget>
#include <optional>

#include "app/client/client.h"
#include "app/model/version_tree.h"
#include "app/panels/row_table.h"

namespace divisi::panels {

/// Versions of trained models, each under the one that it came of. Who may, makes a checkpoint one, begins another task
/// with one, takes its model home as a file, or lets its weights go.
class VersionsView : public QWidget {
    Q_OBJECT
public:
    explicit VersionsView(client::Client* client, QWidget* parent = nullptr);

Q_SIGNALS:
    /// The text of a task that begins with the chosen version, whose relative paths start from `folder`.
    void startRequested(const QString& text, const QString& folder);

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void build();
    void refresh();
    void fill_table();
    void show_chosen();
    void refresh_bar();
    void answered();
    const control::ModelVersion* chosen() const;
    QString empty_text() const;
    QString why_not() const;
    void refresh_keep(const QString& why_not);
    void fill_keep();
    void keep(const model::KeepableCheckpoint& one);
    void start();
    void ask_drop();
    void choose_export();
    void export_to(const QString& file);
    void retranslate();

    client::Client* client_;
    RowModel model_;
    std::optional<std::uint64_t> dropping_;             ///< asked, not answered
    std::optional<std::uint64_t> exporting_;            ///< likewise
    std::optional<model::KeepableCheckpoint> keeping_;  ///< likewise
    QLineEdit* filter_;
    QLabel *count_, *notice_, *empty_;
    QPushButton *keep_, *start_, *export_, *drop_;
    QMenu* keepable_;
    QSplitter* split_;
    RowTable* table_;
    QTableWidget* fields_;
};

}  // namespace divisi::panels
