// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMenu>
#include <QPushButton>
#include <QTableWidget>
#include <optional>

#include "app/model/documents/version_tree.h"
#include "app/panels/tables/list_page.h"
#include "app/panels/tables/row_table.h"

namespace divisi::panels {

/// Shows versions of trained models, each below its parent. Authorised users can make a checkpoint a version, start a
/// task with a version, export its model to a file, or delete its weights.
class VersionsView : public ListPage {
    Q_OBJECT
public:
    explicit VersionsView(client::Client* client, QWidget* parent = nullptr);

Q_SIGNALS:
    /// `text` is a task that starts with the chosen version; its relative paths start from `folder`.
    void startRequested(const QString& text, const QString& folder);

protected:
    void refresh() override;
    void retranslate() override;
    void filter_rows(const QString& text) override;
    bool has_rows() const override { return !client_->data().state.versions.empty(); }
    bool shows_rows() const override { return table_->shown() > 0; }
    QString all_hidden_text() const override;
    QString no_rows_text() const override;

private:
    void build();
    void fill_table();
    void show_chosen();
    void refresh_bar();
    void answered();
    const control::ModelVersion* chosen() const;
    void refresh_keep(const QString& why_not);
    void fill_keep();
    void keep(const model::KeepableCheckpoint& one);
    void start();
    void ask_drop();
    void choose_export();
    void export_to(const QString& file);

    RowModel model_;
    std::optional<std::uint64_t> dropping_;             ///< version of an unanswered request to delete its weights
    std::optional<std::uint64_t> exporting_;            ///< version of an unanswered request to export it
    std::optional<model::KeepableCheckpoint> keeping_;  ///< checkpoint of an unanswered request to keep it
    QPushButton *keep_, *start_, *export_, *drop_;
    QMenu* keepable_;
    RowTable* table_;
    QTableWidget* fields_;
};

}  // namespace divisi::panels
