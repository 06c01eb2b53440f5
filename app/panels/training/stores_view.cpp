// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/training/stores_view.h"

#include <QFileDialog>
#include <algorithm>
#include <chrono>

#include "app/client/refusal_text.h"
#include "app/client/store_export.h"
#include "app/model/wording/states.h"
#include "app/model/wording/store_text.h"
#include "app/model/wording/text.h"
#include "app/panels/tables/plain_table.h"
#include "app/panels/tables/text_table.h"

namespace divisi::panels {

namespace {

constexpr int tick_ms = 1000;
/// Number of ticks between two queries for the lists of stores. Lists are queried seldom, because every node opens its
/// files for a list.
constexpr int ticks_between_lists = 10;
/// Number of rows per page.
constexpr std::int64_t rows_at_once = 200;
/// An additional entry among the tables, for snapshots, which are not in a table.
constexpr const char* snapshots = "snapshots";

enum Column { sid, task, node, state, step, generation, incarnation, bytes, age, column_count };

QString store_words(const std::string& text) { return QString::fromStdString(text); }

QString age_of(TimePoint written) {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const auto past = now - std::chrono::duration_cast<std::chrono::system_clock::duration>(written.time_since_epoch());
    return model::age_text(std::chrono::duration_cast<std::chrono::steady_clock::duration>(past));
}

/// Returns an id for a row. Rows have no numbers, so their first cells identify them.
QString row_id(const control::StoreRow& row) {
    constexpr std::size_t telling = 3;
    QString id;
    for (std::size_t i = 0; i < std::min(row.cells.size(), telling); ++i)
        id += QString::fromStdString(control::cell_text(row.cells[i])) + u'\n';
    return id;
}

QVariant key_of(const control::StoreCell& cell) {
    if (cell.whole) return qlonglong{*cell.whole};
    if (cell.real) return *cell.real;
    return cell.text ? QString::fromStdString(*cell.text) : QString();
}

}  // namespace

StoresView::StoresView(client::Client* client, QWidget* parent)
    : ListPage("store", client, parent),
      list_model_(column_count, {step, generation, incarnation, bytes}),
      row_model_(0),
      row_filter_(make_filter(QStringLiteral("storeRowFilter"), this)),
      title_(new QLabel(this)),
      refresh_(new QPushButton(this)),
      export_(new QPushButton(this)),
      older_(new QPushButton(this)),
      role_(new QComboBox(this)),
      opened_(new QWidget(this)),
      table_(new RowTable("storeTable", list_model_, this)),
      page_(new RowTable("storeRows", row_model_, opened_)) {
    setObjectName(QStringLiteral("stores"));
    build();
    build_opened();
    poll_every(tick_ms);
    connect(row_filter_, &QLineEdit::textChanged, page_, &RowTable::set_filter);
    connect(refresh_, &QPushButton::clicked, this, &StoresView::list);
    connect(export_, &QPushButton::clicked, this, &StoresView::choose_export);
    connect(older_, &QPushButton::clicked, this, [this] { read(before_); });
    connect(role_, &QComboBox::currentIndexChanged, this, &StoresView::show_chosen);
    connect(table_, &RowTable::currentRowChanged, this, &StoresView::show_chosen);
    if (client_) connect_client();
    retranslate();
}

void StoresView::build() {
    refresh_->setObjectName(QStringLiteral("listStores"));
    export_->setObjectName(QStringLiteral("exportStore"));
    for (QPushButton* button : {export_, refresh_}) offer_in_menu(*table_, *button);
    offer_in_menu(*page_, *older_);
    add_count();
    bar().addWidget(refresh_);
    bar().addWidget(export_);
}

void StoresView::build_opened() {
    title_->setObjectName(QStringLiteral("storeTitle"));
    title_->setProperty("role", QStringLiteral("faint"));
    title_->setWordWrap(true);
    role_->setObjectName(QStringLiteral("storeRole"));
    for (const std::string& table : control::store_tables()) role_->addItem(QString(), QString::fromStdString(table));
    role_->addItem(QString(), QString::fromLatin1(snapshots));
    role_->setCurrentIndex(role_->findData(QStringLiteral("progress")));
    older_->setObjectName(QStringLiteral("olderRows"));
    auto* row_bar = new QHBoxLayout;
    row_bar->addWidget(role_);
    row_bar->addWidget(row_filter_, 1);
    row_bar->addWidget(older_);
    auto* column = new QVBoxLayout(opened_);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(8);
    column->addLayout(row_bar);
    column->addWidget(page_, 1);
    column->addWidget(title_);
    opened_->hide();
    set_list(*table_, *opened_, {1, 1}, Details::below_if_narrow);
}

void StoresView::connect_client() {
    client_->on_answer<control::ListStores>(this, &StoresView::take_list);
    client_->on_failure<control::ListStores>(
        this, [this](const control::ListStores& question, const client::Answered& failed) {
            control::StoreList none;
            none.error = failed.answer.error();
            take_list(question, none);
        });
    client_->on_answer<control::ReadStore>(this, &StoresView::take_rows);
    client_->on_failure<control::ReadStore>(this,
                                            [this](const control::ReadStore& question, const client::Answered& failed) {
                                                control::StorePage none;
                                                none.error = failed.answer.error();
                                                take_rows(question, none);
                                            });
    connect(client_, &client::Client::statusChanged, this, [this] {
        if (!is_connected()) lose_questions();
        else if (isVisible() && !listed_) list();
        refresh_bar();
    });
}

/// Forgets unanswered queries, because they are not answered over a new connection.
void StoresView::lose_questions() {
    listing_.reset();
    to_ask_.clear();
    coming_.clear();
    reading_.reset();
    asked_.reset();
    listed_ = false;
    if (std::exchange(exporting_, std::nullopt))
        show_notice(tr("Nothing was exported: the connection was lost. Export again when the connection is "
                       "back."),
                    true);
}

void StoresView::filter_rows(const QString& text) {
    table_->set_filter(text);
    refresh_bar();
}

void StoresView::poll() {
    if (++age_ticks_ >= ticks_between_lists || !listed_) return list();
    refresh();  // updates ages
}

void StoresView::list() {
    if (!client_ || listing_ || !client_->status().reaches()) return;
    age_ticks_ = 0;
    coming_.clear();
    problems_.clear();
    to_ask_.clear();
    for (const auto& [id, one] : client_->data().state.nodes) {
        if (one.state == control::NodeState::ready) to_ask_.push_back(id);
        else if (one.state != control::NodeState::left)
            problems_ << tr("%1 is away: its stores are listed when it is back.").arg(store_words(id.value()));
    }
    list_on();
}

void StoresView::list_on() {
    if (!to_ask_.empty()) {
        listing_ = control::ListStores{to_ask_.front(), {}};
        to_ask_.pop_front();
        client_->ask(*listing_);
        return refresh_bar();
    }
    listed_ = true;
    stores_ = std::move(coming_);
    coming_.clear();
    refresh();
    if (!problems_.isEmpty()) show_notice(problems_.join(u'\n'), true);
}

void StoresView::take_list(const control::ListStores& question, const control::StoreList& answer) {
    if (!listing_ || listing_->node != question.node || listing_->after != question.after) return;
    listing_.reset();
    for (const control::StoreView& store : answer.stores) coming_.push_back({question.node, store});
    if (answer.error) problems_ << client::quoted(*answer.error);
    if (!answer.error && answer.more && !answer.stores.empty()) {
        listing_ = control::ListStores{question.node, answer.stores.back().file};
        return client_->ask(*listing_);
    }
    list_on();
}

void StoresView::refresh() {
    const model::Colours& colours = model::colours_of(palette());
    std::vector<TableRow> rows;
    for (const Listed& one : stores_) {
        const control::StoreView& store = one.store;
        TableRow row{one.id(), std::vector<RowCell>(column_count)};
        row.cells[sid] = {store_words(store.sid.value().empty() ? store.file : store.sid.value())};
        row.cells[task] = {store_words(model::task_of_sid(store.sid).value())};
        row.cells[node] = {store_words(one.node.value())};
        row.cells[state] =
            store.damage
                ? RowCell{QStringLiteral("\u2715 ") + tr("damaged: %1").arg(client::quoted_problem(*store.damage)),
                          {},
                          colours.bad}
                : RowCell{QStringLiteral("\u2713 ") + tr("intact"), {}, colours.good};
        row.cells[step] = {model::count_text(store.step), qlonglong{store.step}};
        row.cells[generation] = {QString::number(store.generation), store.generation};
        row.cells[incarnation] = {QString::number(store.incarnation), qulonglong{store.incarnation}};
        row.cells[bytes] = {model::bytes_text(store.size), qlonglong(store.size)};
        row.cells[age] = {age_of(store.written), qlonglong(-store.written.time_since_epoch().count())};
        row.time = store.written;
        row.about = model::things_of({}, one.node, model::task_of_sid(store.sid));
        if (!store.sid.value().empty()) row.about.insert(row.about.begin(), model::Selected::of_unit(store.sid));
        rows.push_back(std::move(row));
    }
    list_model_.set_rows(std::move(rows));
    refresh_bar();
}

const StoresView::Listed* StoresView::chosen() const {
    const QString id = table_->current();
    for (const Listed& one : stores_)
        if (!id.isEmpty() && one.id() == id) return &one;
    return nullptr;
}

void StoresView::show_chosen() {
    const Listed* one = chosen();
    opened_->setVisible(one != nullptr);
    rows_ = {};
    before_ = damaged_ = 0;
    reading_.reset();
    row_model_.reset({}, {}, {});
    refresh_bar();
    if (!one) return;
    if (role_->currentData().toString() == QLatin1String(snapshots)) return show_snapshots(*one);
    if (!one->store.sid.value().empty()) return read(0);
    title_->setText(
        tr("The file does not name the SID that owns it, so the node does not read it. Inspect the file on "
           "the node."));
}

void StoresView::read(std::int64_t before) {
    const Listed* one = chosen();
    if (!one || reading_) return;
    if (!is_connected())
        return title_->setText(
            tr("There is no connection to a cluster; choose the store again when the connection is "
               "back."));
    reading_ = control::ReadStore{one->node, one->store.sid, role_->currentData().toString().toStdString(), before,
                                  rows_at_once};
    title_->setText(tr("Reading from %1\u2026").arg(store_words(one->node.value())));
    ask_rows();
    refresh_bar();
}

void StoresView::ask_rows() {
    if (!reading_ || asked_) return;
    asked_ = reading_;
    client_->ask(*asked_);
}

void StoresView::take_rows(const control::ReadStore& question, const control::StorePage& answer) {
    const auto is = [&](const control::ReadStore& asked) {
        return asked.node == question.node && asked.sid == question.sid && asked.table == question.table &&
               asked.before == question.before && asked.limit == question.limit;
    };
    if (exporting_ && !exporting_->done() && is(exporting_->next())) {
        if (const auto taken = exporting_->take(answer); !taken.ok()) {
            exporting_.reset();
            show_notice(tr("Nothing was exported: %1").arg(client::quoted(taken.error())), true);
            return refresh_bar();
        }
        if (exporting_->done()) return write_export();
        return client_->ask(exporting_->next());
    }
    if (!asked_ || !is(*asked_)) return;
    asked_.reset();
    if (!reading_ || !is(*reading_)) return ask_rows();  // the user has chosen another store or table meanwhile
    reading_.reset();
    if (answer.error) {
        title_->setText(client::quoted(*answer.error));
        return refresh_bar();
    }
    rows_.name = question.table;
    rows_.columns = answer.columns;
    for (const control::StoreRow& row : answer.rows)
        if (row.cells.size() == answer.columns.size()) rows_.rows.push_back(row);
    damaged_ += answer.damaged;
    before_ = answer.before;
    show_rows();
}

void StoresView::show_rows() {
    QStringList names;
    std::vector<int> figures;
    for (std::size_t i = 0; i < rows_.columns.size(); ++i) {
        names << model::store_column_text(rows_.columns[i]);
        if (!rows_.rows.empty() && !rows_.rows.front().cells[i].text) figures.push_back(static_cast<int>(i));
    }
    std::vector<TableRow> rows;
    for (const control::StoreRow& row : rows_.rows) {
        TableRow& line = rows.emplace_back(TableRow{row_id(row), {}});
        for (std::size_t i = 0; i < row.cells.size(); ++i)
            line.cells.push_back({model::store_cell_text(row.cells[i], rows_.columns[i]), key_of(row.cells[i])});
    }
    if (row_model_.columnCount() != names.size()) row_model_.reset(names, std::move(figures), std::move(rows));
    else row_model_.set_rows(std::move(rows));
    const QString count = model::count_text(static_cast<std::int64_t>(rows_.rows.size()));
    QString text = rows_.rows.empty() ? tr("No rows: its instance has written none yet.")
                   : before_ != 0     ? tr("The newest %Ln rows, as read by the node; there are older ones.", nullptr,
                                           static_cast<int>(rows_.rows.size()))
                   : rows_.rows.size() == 1 ? tr("The only row of this table, as read by the node.")
                                            : tr("All %1 rows, as read by the node.").arg(count);
    if (damaged_ > 0) text += u' ' + tr("Rows left out because their checksums are wrong: %1.").arg(damaged_);
    title_->setText(text);
    refresh_bar();
}

void StoresView::show_snapshots(const Listed& one) {
    std::vector<TableRow> rows;
    for (const model::StoredSnapshot& snapshot : model::snapshots_of(client_->data().state, one.store.sid)) {
        QStringList nodes;
        for (const NodeId& holder : snapshot.nodes) nodes << store_words(holder.value());
        rows.push_back({QString::number(snapshot.step),
                        {{model::count_text(snapshot.step), qlonglong{snapshot.step}},
                         {QString::number(snapshot.generation), snapshot.generation},
                         {model::bytes_text(snapshot.size), qlonglong(snapshot.size)},
                         {model::date_text(snapshot.time), qlonglong(snapshot.time.time_since_epoch().count())},
                         {nodes.join(QStringLiteral(", "))}}});
    }
    title_->setText(
        rows.empty()
            ? tr("No snapshot is committed. In the task file, [checkpoint] every sets how often snapshots are made.")
            : tr("Committed snapshots of this instance's part of the model."));
    row_model_.reset({tr("Step"), tr("Generation"), tr("Size"), tr("Committed"), tr("Nodes that have it")}, {0, 1, 2},
                     std::move(rows));
}

void StoresView::choose_export() {
    const Listed* one = chosen();
    if (!one) return;
    auto* dialog = new QFileDialog(this, tr("Export the state of %1").arg(store_words(one->store.sid.value())), {},
                                   tr("All tables as JSON lines (*.jsonl);;The table shown as CSV (*.csv)"));
    dialog->setObjectName(QStringLiteral("storeExportDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("jsonl"));
    connect(dialog, &QFileDialog::filterSelected, dialog, [dialog](const QString& filter) {
        dialog->setDefaultSuffix(filter.contains(QLatin1String("csv")) ? QStringLiteral("csv")
                                                                       : QStringLiteral("jsonl"));
    });
    dialog->selectFile(store_words(one->store.sid.value()).replace(u'/', u'.') + QStringLiteral(".jsonl"));
    connect(dialog, &QFileDialog::fileSelected, this, &StoresView::export_to);
    dialog->open();
}

void StoresView::export_to(const QString& file) {
    const Listed* one = chosen();
    if (!one || exporting_) return;
    const std::string shown = role_->currentData().toString().toStdString();
    const bool csv = control::store_format_of(file.toStdString()) == control::StoreFormat::csv;
    if (csv && shown == snapshots)
        return show_notice(tr("Snapshots are in no table. Choose another role, or export JSON lines."), true);
    export_file_ = file;
    exporting_.emplace(one->node, one->store.sid, csv ? std::vector{shown} : control::store_tables());
    show_notice(tr("Reading data to export\u2026"), false);
    client_->ask(exporting_->next());
    refresh_bar();
}

void StoresView::write_export() {
    const control::StoreReading read = *std::exchange(exporting_, std::nullopt);
    const auto written = client::export_store(export_file_.toStdString(), read);
    refresh_bar();
    if (!written.ok()) return show_notice(client::quoted(written.error()), true);
    QString text = read.rows() == 1 ? tr("1 row written to %1").arg(export_file_)
                                    : tr("%1 rows written to %2").arg(model::count_text(read.rows()), export_file_);
    if (read.damaged() > 0)
        text += QStringLiteral(". ") + tr("Rows left out because their checksums are wrong: %1.").arg(read.damaged());
    show_notice(text, read.damaged() > 0);
}

QString StoresView::all_hidden_text() const { return tr("No store has this text. Clear the filter to see all."); }

QString StoresView::no_rows_text() const {
    if (client_->status().replayed) return client::why_not_replayed(client_->status());
    if (!listed_) return tr("Asking the nodes for their state stores\u2026");
    return tr("No state stores. Each instance of a task writes one on its node.") + u' ' +
           client::how_to_begin(client_);
}

void StoresView::refresh_bar() {
    show_list();
    const auto all = static_cast<std::int64_t>(stores_.size());
    set_count(all == 0 ? QString()
                       : tr("%1 of %2 stores").arg(model::count_text(table_->shown()), model::count_text(all)));
    refresh_->setEnabled(client_ && !listing_ && client_->status().reaches());
    older_->setVisible(before_ != 0);
    older_->setEnabled(!reading_);
    const Listed* one = chosen();
    const bool readable = one && !one->store.sid.value().empty();
    export_->setEnabled(readable && !exporting_);
    export_->setToolTip(readable ? tr("Export tables of this store to a file: all as JSON lines, or the table shown as "
                                      "CSV")
                                 : tr("Choose a store in the table first"));
}

void StoresView::appear() {
    list();
    refresh_bar();
}

void StoresView::retranslate() {
    set_filter_texts(tr("Show only stores with this text"), tr("Filter of the state stores"));
    row_filter_->setPlaceholderText(tr("Show only rows with this text"));
    row_filter_->setAccessibleName(tr("Filter of the rows"));
    refresh_->setText(tr("List again"));
    refresh_->setToolTip(
        tr("Ask all nodes for their stores now instead of at the next automatic request (every 10 "
           "s)"));
    export_->setText(tr("Export\u2026"));
    older_->setText(tr("Older rows"));
    role_->setAccessibleName(tr("Shown part of the store"));
    for (int i = 0; i < role_->count(); ++i) {
        const QString name = role_->itemData(i).toString();
        role_->setItemText(i, name == QLatin1String(snapshots) ? tr("Recovery snapshots")
                                                               : model::store_table_text(name.toStdString()));
    }
    table_->setAccessibleName(tr("State stores of all nodes"));
    page_->setAccessibleName(tr("Rows of the selected store"));
    list_model_.set_header({tr("SID"), tr("Task"), tr("Node"), tr("State"), tr("Step"), tr("Generation"),
                            tr("Incarnation"), tr("Size"), tr("Written")});
    refresh();
    show_chosen();
}

}  // namespace divisi::panels

#include "moc_stores_view.cpp"
