// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/desktop/help_window.h"

#include <QAction>
#include <QEvent>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QImage>
#include <QKeyEvent>
#include <QLocale>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>

namespace divisi::shell {

namespace {

/// Width in pixels of both side margins and a scroll bar.
constexpr int most_margin = 72;

const QString page_suffix = QStringLiteral(".md");

QString name_in(const QUrl& url) { return QFileInfo(url.path()).completeBaseName(); }

QUrl url_of(const QString& name) { return QUrl(QStringLiteral("qrc:/user/") + name + page_suffix); }

/// Returns whether the page contains every word.
bool has_words(const HelpPage& page, const QStringList& words) {
    return std::all_of(words.begin(), words.end(),
                       [&](const QString& word) { return page.text.contains(word, Qt::CaseInsensitive); });
}

}  // namespace

QVariant HelpBrowser::loadResource(int type, const QUrl& name) {
    const QString file = QFileInfo(name.path()).completeBaseName();
    if (name.path().endsWith(page_suffix))
        for (const HelpPage& page : pages_)
            if (page.name == file) return page.text;
    if (const QImage picture(QStringLiteral(":") + name.path());
        type == QTextDocument::ImageResource && !picture.isNull()) {
        const int room = std::max(most_margin, viewport()->width() - most_margin);
        return picture.width() > room ? picture.scaledToWidth(room, Qt::SmoothTransformation) : picture;
    }
    return QTextBrowser::loadResource(type, name);
}

HelpWindow::HelpWindow(QWidget* parent)
    : QWidget(parent, Qt::Window),
      back_(new QToolButton(this)),
      forward_(new QToolButton(this)),
      search_(new QLineEdit(this)),
      contents_(new QListWidget(this)),
      nothing_(new QLabel(this)),
      browser_(new HelpBrowser(this)) {
    setObjectName(QStringLiteral("helpWindow"));
    back_->setObjectName(QStringLiteral("helpBack"));
    forward_->setObjectName(QStringLiteral("helpForward"));
    search_->setObjectName(QStringLiteral("helpSearch"));
    contents_->setObjectName(QStringLiteral("helpContents"));
    nothing_->setObjectName(QStringLiteral("helpNothing"));
    browser_->setObjectName(QStringLiteral("helpText"));
    build();
    connect(back_, &QToolButton::clicked, browser_, &QTextBrowser::backward);
    connect(forward_, &QToolButton::clicked, browser_, &QTextBrowser::forward);
    connect(browser_, &QTextBrowser::backwardAvailable, back_, &QWidget::setEnabled);
    connect(browser_, &QTextBrowser::forwardAvailable, forward_, &QWidget::setEnabled);
    connect(browser_, &QTextBrowser::sourceChanged, this, &HelpWindow::follow);
    connect(search_, &QLineEdit::textChanged, this, &HelpWindow::search);
    connect(search_, &QLineEdit::returnPressed, this, &HelpWindow::show_found);
    connect(contents_, &QListWidget::currentItemChanged, this, [this](QListWidgetItem* item) {
        if (item && item->data(Qt::UserRole).toString() != page())
            browser_->setSource(url_of(item->data(Qt::UserRole).toString()), QTextDocument::MarkdownResource);
    });
    load();
    retranslate();
    resize(960, 720);
}

void HelpWindow::build() {
    back_->setArrowType(Qt::LeftArrow);
    forward_->setArrowType(Qt::RightArrow);
    for (QToolButton* button : {back_, forward_}) button->setEnabled(false);
    back_->setShortcut(QKeySequence::Back);
    forward_->setShortcut(QKeySequence::Forward);
    search_->setClearButtonEnabled(true);
    nothing_->setWordWrap(true);
    nothing_->setProperty("role", QStringLiteral("faint"));
    nothing_->hide();
    browser_->setOpenLinks(true);
    browser_->setOpenExternalLinks(false);
    browser_->document()->setDocumentMargin(24);
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(8, 8, 8, 8);
    bar->addWidget(back_);
    bar->addWidget(forward_);
    bar->addWidget(search_, 1);
    auto* side = new QWidget(this);
    auto* list = new QVBoxLayout(side);
    list->setContentsMargins(8, 0, 0, 8);
    list->addWidget(contents_, 1);
    list->addWidget(nothing_);
    auto* halves = new QSplitter(this);
    halves->addWidget(side);
    halves->addWidget(browser_);
    halves->setStretchFactor(1, 1);
    halves->setSizes({240, 720});
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(bar);
    column->addWidget(halves, 1);
    for (const auto& [key, place] : {std::pair{QKeySequence(QKeySequence::Find), static_cast<QWidget*>(search_)},
                                     {QKeySequence(Qt::CTRL | Qt::Key_L), static_cast<QWidget*>(contents_)}}) {
        auto* action = new QAction(this);
        action->setShortcut(key);
        connect(action, &QAction::triggered, place, [place = place] { place->setFocus(Qt::ShortcutFocusReason); });
        addAction(action);
    }
}

void HelpWindow::load() {
    pages_ = help_pages(QLocale().name());
    browser_->set_pages(pages_);
    search(search_->text());
}

QString HelpWindow::page() const { return name_in(browser_->source()); }

void HelpWindow::show_page(const QString& name) {
    search_->clear();
    browser_->setSource(url_of(name), QTextDocument::MarkdownResource);
    show();
    raise();
    activateWindow();
    browser_->setFocus();
}

/// Lists the pages that contain all of the words. Without words, lists all pages.
void HelpWindow::search(const QString& words) {
    const QStringList wanted = words.split(u' ', Qt::SkipEmptyParts);
    const QSignalBlocker quiet(contents_);
    contents_->clear();
    for (const HelpPage& page : pages_) {
        if (!has_words(page, wanted)) continue;
        auto* item = new QListWidgetItem(page.title, contents_);
        item->setData(Qt::UserRole, page.name);
        if (page.name == this->page()) contents_->setCurrentItem(item);
    }
    nothing_->setVisible(contents_->count() == 0);
}

/// Shows the chosen page, or the first page with the words, at the first occurrence. Each further call shows the next
/// occurrence.
void HelpWindow::show_found() {
    if (contents_->count() == 0) return;
    if (!contents_->currentItem()) contents_->setCurrentRow(0);
    const QString word = search_->text().split(u' ', Qt::SkipEmptyParts).value(0);
    if (word.isEmpty() || browser_->find(word)) return;
    browser_->moveCursor(QTextCursor::Start);
    browser_->find(word);
}

/// Chooses the page `now` in the contents. The browser's source() is still the old page when it emits the signal.
void HelpWindow::follow(const QUrl& now) {
    const QString name = name_in(now);
    const QListWidgetItem* chosen = contents_->currentItem();
    if (chosen && chosen->data(Qt::UserRole).toString() == name) return;
    const QSignalBlocker quiet(contents_);
    contents_->setCurrentItem(nullptr);
    for (int row = 0; row < contents_->count(); ++row)
        if (contents_->item(row)->data(Qt::UserRole).toString() == name) contents_->setCurrentRow(row);
}

void HelpWindow::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape) close();
    else QWidget::keyPressEvent(event);
}

void HelpWindow::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) retranslate();
    QWidget::changeEvent(event);
}

void HelpWindow::retranslate() {
    setWindowTitle(tr("Manual \u2013 Divisi"));
    back_->setToolTip(tr("Back"));
    back_->setAccessibleName(back_->toolTip());
    forward_->setToolTip(tr("Forward"));
    forward_->setAccessibleName(forward_->toolTip());
    search_->setPlaceholderText(tr("Search all pages"));
    search_->setAccessibleName(search_->placeholderText());
    contents_->setAccessibleName(tr("Pages"));
    browser_->setAccessibleName(tr("Page"));
    nothing_->setText(tr("No page has these words."));
    if (QString shown = page(); !shown.isEmpty()) {
        load();
        browser_->reload();
    }
}

}  // namespace divisi::shell

#include "moc_help_window.cpp"
