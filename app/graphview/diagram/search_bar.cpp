// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graphview/diagram/search_bar.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QKeyEvent>

namespace divisi::graphview {

SearchBar::SearchBar(GraphView& view, const model::GraphDocument& document, QWidget* parent)
    : QWidget(parent),
      view_(view),
      document_(document),
      input_(new QLineEdit(this)),
      count_(new QLabel(this)),
      previous_(new QToolButton(this)),
      next_(new QToolButton(this)),
      close_(new QToolButton(this)) {
    setObjectName(QStringLiteral("searchBar"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(8, 8, 8, 8);
    row->setSpacing(8);
    input_->setObjectName(QStringLiteral("searchInput"));
    count_->setObjectName(QStringLiteral("searchCount"));
    input_->setClearButtonEnabled(true);
    input_->setMaximumWidth(400);
    previous_->setText(QStringLiteral("\u2191"));
    next_->setText(QStringLiteral("\u2193"));
    close_->setText(QStringLiteral("\u2715"));
    row->addWidget(input_, 1);
    for (QWidget* widget : std::initializer_list<QWidget*>{previous_, next_, count_}) row->addWidget(widget);
    row->addStretch(1);
    row->addWidget(close_);
    input_->installEventFilter(this);
    connect(input_, &QLineEdit::textChanged, this, &SearchBar::search);
    connect(previous_, &QToolButton::clicked, this, [this] { go(-1); });
    connect(next_, &QToolButton::clicked, this, [this] { go(1); });
    connect(close_, &QToolButton::clicked, this, &SearchBar::dismiss);
    connect(&document_, &model::GraphDocument::modelChanged, this, [this] {
        matches_.clear();  // the matches are positions in the previous model
        current_ = -1;
        dismiss();
    });
    retranslate();
    hide();
}

void SearchBar::open() {
    show();
    input_->setFocus();
    input_->selectAll();
    search();
}

void SearchBar::dismiss() {
    if (isHidden()) return;
    hide();
    view_.matches().set({}, false);
    view_.setFocus();
}

void SearchBar::search() {
    matches_.clear();
    current_ = -1;
    const QString wanted = input_->text().trimmed();
    if (document_.model() && !wanted.isEmpty()) {
        const graph::Graph& graph = document_.model()->graph;
        const auto holds = [&](const std::string& text) {
            return QString::fromStdString(text).contains(wanted, Qt::CaseInsensitive);
        };
        for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
            const graph::Node& node = graph.nodes[i];
            bool found = holds(node.name) || holds(node.op_type);
            for (const graph::ValueIndex output : node.outputs)
                found = found || (output != graph::no_value && holds(graph.values[output].name));
            if (found) matches_.push_back(static_cast<graph::NodeIndex>(i));
        }
    }
    view_.matches().set(matches_, !wanted.isEmpty());
    show_count();
}

void SearchBar::go(int by) {
    if (isHidden()) open();  // makes the match visible
    if (matches_.empty()) return;
    const int count = static_cast<int>(matches_.size());
    current_ = current_ < 0 ? (by > 0 ? 0 : count - 1) : (current_ + by + count) % count;
    view_.scopes().reveal(matches_[static_cast<std::size_t>(current_)]);
    show_count();
}

void SearchBar::show_count() {
    if (input_->text().trimmed().isEmpty()) count_->clear();
    else if (matches_.empty()) count_->setText(tr("No operator has this name"));
    else if (current_ < 0) count_->setText(tr("Found: %1").arg(matches_.size()));
    else count_->setText(tr("%1 of %2").arg(current_ + 1).arg(matches_.size()));
    previous_->setEnabled(!matches_.empty());
    next_->setEnabled(!matches_.empty());
}

bool SearchBar::eventFilter(QObject* watched, QEvent* event) {
    if (watched == input_ && event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
            go(key->modifiers() & Qt::ShiftModifier ? -1 : 1);
            return true;
        }
        if (key->key() == Qt::Key_Escape) {
            dismiss();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

void SearchBar::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) retranslate();
    QWidget::changeEvent(event);
}

void SearchBar::retranslate() {
    input_->setPlaceholderText(tr("Find an operator by name, type or output"));
    input_->setAccessibleName(tr("Find an operator"));
    previous_->setToolTip(tr("Previous match (Shift+Enter)"));
    next_->setToolTip(tr("Next match (Enter)"));
    close_->setToolTip(tr("Close (Esc)"));
    for (QToolButton* button : {previous_, next_, close_}) button->setAccessibleName(button->toolTip());
    show_count();
}

}  // namespace divisi::graphview

#include "moc_search_bar.cpp"
