// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/tables/list_page.h"

#include <QEvent>
#include <QShortcut>
#include <QToolButton>

#include "app/panels/tables/text_table.h"
#include "app/panels/tables/widget_role.h"

namespace divisi::panels {

namespace {

/// Minimum width for a list and its details side by side.
constexpr int side_by_side = 720;

}  // namespace

ListPage::ListPage(const char* name, client::Client* client, QWidget* parent)
    : QWidget(parent),
      client_(client),
      name_(QString::fromLatin1(name)),
      column_(new QVBoxLayout(this)),
      bar_(new QHBoxLayout),
      filter_(make_filter(name_of("Filter"), this)),
      notice_(new QLabel(this)),
      empty_(new QLabel(this)) {
    notice_->setObjectName(name_of("Notice"));
    notice_->setWordWrap(true);
    notice_->hide();
    empty_->setObjectName(name_of("Empty"));
    empty_->setAlignment(Qt::AlignCenter);
    empty_->setWordWrap(true);
    empty_->setProperty("role", QStringLiteral("faint"));
    bar_->addWidget(filter_, 1);
    column_->setContentsMargins(16, 8, 16, 8);
    column_->setSpacing(8);
    column_->addLayout(bar_);
    column_->addWidget(notice_);
    column_->addWidget(empty_, 1);
    connect(filter_, &QLineEdit::textChanged, this, [this] { filter_rows(filter_text()); });
    connect(&tick_, &QTimer::timeout, this, [this] {
        if (is_on_screen()) poll();
    });
}

QString ListPage::name_of(const char* part) const { return name_ + QString::fromLatin1(part); }

QHBoxLayout& ListPage::add_bar() {
    auto* second = new QHBoxLayout;
    column_->insertLayout(1, second);
    return *second;
}

void ListPage::move_bar_down() {
    column_->removeItem(bar_);
    column_->addLayout(bar_);
}

QButtonGroup& ListPage::add_pages(std::initializer_list<const char*> names) {
    auto* pages = new QButtonGroup(this);
    int page = 0;
    for (const char* name : names) {
        auto* button = new QToolButton(this);
        button->setObjectName(QString::fromLatin1(name));
        button->setCheckable(true);
        button->setChecked(page == 0);
        pages->addButton(button, page);
        bar_->insertWidget(page++, button);
    }
    return *pages;
}

void ListPage::set_filter_texts(const QString& placeholder, const QString& accessible_name) {
    filter_->setPlaceholderText(placeholder);
    filter_->setAccessibleName(accessible_name);
}

void ListPage::add_count() {
    count_ = new QLabel(this);
    count_->setObjectName(name_of("Count"));
    count_->setProperty("role", QStringLiteral("faint"));
    bar_->addWidget(count_);
}

void ListPage::set_list(QWidget& list) {
    list_ = &list;
    column_->addWidget(list_, 1);
}

QSplitter& ListPage::set_list(QWidget& list, QWidget& details, std::pair<int, int> shares, Details where) {
    auto* split = new QSplitter(this);
    split->addWidget(&list);
    split->addWidget(&details);
    split->setStretchFactor(0, shares.first);
    split->setStretchFactor(1, shares.second);
    split->setChildrenCollapsible(false);
    if (where == Details::below_if_narrow) stacked_ = split;
    set_list(*split);
    return *split;
}

QString ListPage::empty_text() const {
    if (!client_) return client::no_cluster_text();
    if (shows_rows()) return {};
    if (has_rows()) return all_hidden_text();
    return is_connected() ? no_rows_text() : client::no_connection_text();
}

void ListPage::show_list() {
    const QString empty = empty_text();
    empty_->setText(empty);
    empty_->setVisible(!empty.isEmpty());
    list_->setVisible(empty.isEmpty());
}

void ListPage::clear_by_escape(QWidget& area, const std::vector<QAbstractItemView*>& tables) {
    auto* close = new QShortcut(Qt::Key_Escape, &area);
    close->setContext(Qt::WidgetWithChildrenShortcut);
    connect(close, &QShortcut::activated, this, [tables] {
        for (QAbstractItemView* table : tables) table->setCurrentIndex({});
    });
}

void ListPage::show_notice(const QString& text, bool problem) {
    notice_->setText(text);
    notice_->setVisible(true);
    set_role(notice_, problem ? QStringLiteral("error") : QString());
}

bool ListPage::is_connected() const { return client_ && client_->status().connection == client::Connection::connected; }

QString ListPage::why_not_changed(const QString& read_only) const {
    if (!is_connected()) return tr("There is no connection to a cluster.");
    if (client_->status().replayed) return client::why_not_replayed(client_->status());
    return control::allowed(client_->status().role, control::Right::submit) ? QString() : read_only;
}

void ListPage::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) {
        hide_notice();  // its text is still in the previous language
        retranslate();
    }
    if (event->type() == QEvent::PaletteChange) recolour();
    QWidget::changeEvent(event);
}

void ListPage::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    if (stacked_) stacked_->setOrientation(width() < side_by_side ? Qt::Vertical : Qt::Horizontal);
}

void ListPage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (tick_.interval() > 0) tick_.start();
    appear();
}

void ListPage::hideEvent(QHideEvent* event) {
    tick_.stop();
    QWidget::hideEvent(event);
}

}  // namespace divisi::panels

#include "moc_list_page.cpp"
