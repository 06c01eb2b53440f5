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
#include "app/model/documents/version_tree.h"
#include "app/panels/tables/row_table.h"

namespace divisi::panels {

/// Shows versions of trained models, each below its parent. Authorised users can make a checkpoint a version, start a
/// task with a version, export its model to a file, or delete its weights.
class VersionsView : public QWidget {
    Q_OBJECT
public:
    explicit VersionsView(client::Client* client, QWidget* parent = nullptr);

Q_SIGNALS:
    /// `text` is a task that starts with the chosen version; its relative paths start from `folder`.
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
    std::optional<std::uint64_t> dropping_;             ///< unanswered request
    std::optional<std::uint64_t> exporting_;            ///< unanswered request
    std::optional<model::KeepableCheckpoint> keeping_;  ///< unanswered request
    QLineEdit* filter_;
    QLabel *count_, *notice_, *empty_;
    QPushButton *keep_, *start_, *export_, *drop_;
    QMenu* keepable_;
    QSplitter* split_;
    RowTable* table_;
    QTableWidget* fields_;
};

}  // namespace divisi::panels
