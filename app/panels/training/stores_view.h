// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>
#include <QPushButton>
#include <deque>
#include <optional>
#include <vector>

#include "app/panels/tables/list_page.h"
#include "app/panels/tables/row_table.h"
#include "backend/control/protocol/store_export.h"

namespace divisi::panels {

/// Shows the state stores that instances have written on their nodes. Lists all state stores and, for the chosen store,
/// its snapshots and its tables, which its node reads page by page. A store is never changed. The rows that were read
/// can be exported to a file.
class StoresView : public ListPage {
    Q_OBJECT
public:
    explicit StoresView(client::Client* client, QWidget* parent = nullptr);

public Q_SLOTS:
    /// Asks all nodes again.
    void list();

protected:
    void refresh() override;
    void retranslate() override;
    void filter_rows(const QString& text) override;
    void appear() override;
    void poll() override;
    bool has_rows() const override { return !stores_.empty(); }
    bool shows_rows() const override { return table_->shown() > 0; }
    QString all_hidden_text() const override;
    QString no_rows_text() const override;

private:
    /// A store and its node.
    struct Listed {
        NodeId node;
        control::StoreView store;
        QString id() const { return QString::fromStdString(node.value() + '\n' + store.file); }
    };

    void build();
    void build_opened();
    void connect_client();
    /// Asks the next node for its list. After the last node, shows all answers.
    void list_on();
    void take_list(const control::ListStores& question, const control::StoreList& answer);
    const Listed* chosen() const;
    void show_chosen();
    void read(std::int64_t before);
    void ask_rows();
    void take_rows(const control::ReadStore& question, const control::StorePage& answer);
    void show_rows();
    void show_snapshots(const Listed& one);
    void choose_export();
    void export_to(const QString& file);
    void write_export();
    void lose_questions();
    void refresh_bar();

    std::vector<Listed> stores_;  ///< stores reported by all nodes
    std::vector<Listed> coming_;  ///< stores collected so far while nodes are being asked
    QStringList problems_;        ///< errors of nodes that could not answer
    std::deque<NodeId> to_ask_;
    std::optional<control::ListStores> listing_;  ///< unanswered query
    bool listed_ = false;                         ///< whether all nodes were asked at least once
    std::optional<control::ReadStore> reading_;   ///< unfinished request for rows that the table will show
    /// unanswered query for rows; only one query is sent at a time, however fast the user scrolls
    std::optional<control::ReadStore> asked_;
    control::StoreTable rows_;  ///< rows read so far, newest first
    std::int64_t before_ = 0;   ///< position at which older rows continue; 0: no older rows
    std::int64_t damaged_ = 0;
    std::optional<control::StoreReading> exporting_;
    QString export_file_;
    int age_ticks_ = 0;

    RowModel list_model_, row_model_;
    QLineEdit* row_filter_;
    QLabel* title_;
    QPushButton *refresh_, *export_, *older_;
    QComboBox* role_;
    QWidget* opened_;
    RowTable *table_, *page_;
};

}  // namespace divisi::panels
