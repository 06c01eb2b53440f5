// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSplitter>
#include <QTimer>
#include <QWidget>
#include <deque>
#include <optional>
#include <vector>

#include "app/client/client.h"
#include "app/panels/tables/row_table.h"
#include "backend/control/protocol/store_export.h"

namespace divisi::panels {

/// Shows what instances have written on their nodes. Lists all state stores and, for the chosen one, its snapshots and
/// its tables, which its node reads page by page. Never changes a store. What was read can be exported to a file.
class StoresView : public QWidget {
    Q_OBJECT
public:
    explicit StoresView(client::Client* client, QWidget* parent = nullptr);

public Q_SLOTS:
    /// Asks all nodes again.
    void list();

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

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
    void tick();
    /// Asks the next node, or shows all answers.
    void list_on();
    void take_list(const control::ListStores& question, const control::StoreList& answer);
    void fill_stores();
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
    QString empty_text() const;
    void retranslate();

    client::Client* client_;
    std::vector<Listed> stores_;  ///< as reported by all nodes
    std::vector<Listed> coming_;  ///< collected while nodes are being asked
    QStringList problems_;        ///< nodes that could not answer
    std::deque<NodeId> to_ask_;
    std::optional<control::ListStores> listing_;  ///< unanswered query
    bool listed_ = false;                         ///< all nodes were asked once
    std::optional<control::ReadStore> reading_;   ///< the requested rows
    /// unanswered query: only one at a time, however fast the user scrolls
    std::optional<control::ReadStore> asked_;
    control::StoreTable rows_;  ///< newest first
    std::int64_t before_ = 0;   ///< where older rows continue; 0: there are none
    std::int64_t damaged_ = 0;
    std::optional<control::StoreReading> exporting_;
    QString export_file_;
    int age_ticks_ = 0;

    RowModel list_model_, row_model_;
    QLineEdit *filter_, *row_filter_;
    QLabel *count_, *notice_, *empty_, *title_;
    QPushButton *refresh_, *export_, *older_;
    QComboBox* role_;
    QSplitter* split_;
    QWidget* opened_;
    RowTable *table_, *page_;
    QTimer tick_;
};

}  // namespace divisi::panels
