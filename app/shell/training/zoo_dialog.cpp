// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/training/zoo_dialog.h"

#include <QDialogButtonBox>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <limits>

#include "app/model/wording/zoo_text.h"
#include "backend/graph/zoo.h"

namespace divisi::shell {

ZooDialog::ZooDialog(QWidget* parent)
    : QDialog(parent), model_(new QComboBox(this)), meaning_(new QLabel(this)), form_(new QFormLayout) {
    setObjectName(QStringLiteral("zooDialog"));
    setWindowTitle(tr("Model from the zoo"));
    for (const graph::ZooModel& zoo : graph::zoo_models()) model_->addItem(QString::fromStdString(zoo.name));
    meaning_->setObjectName(QStringLiteral("zooMeaning"));
    meaning_->setProperty("role", QStringLiteral("faint"));
    meaning_->setWordWrap(true);
    form_->setHorizontalSpacing(16);
    form_->setVerticalSpacing(8);
    form_->setLabelAlignment(Qt::AlignLeft);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Open | QDialogButtonBox::Cancel, this);
    buttons->button(QDialogButtonBox::Open)->setProperty("primary", true);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(model_, &QComboBox::currentIndexChanged, this, &ZooDialog::show_sizes);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 16, 16, 16);
    column->setSpacing(16);
    column->addWidget(model_);
    column->addWidget(meaning_);
    column->addLayout(form_);
    column->addStretch();
    column->addWidget(buttons);
    setMinimumWidth(420);
    const int gpt = model_->findText(QStringLiteral("gpt"));
    model_->setCurrentIndex(std::max(gpt, 0));
    show_sizes();
}

void ZooDialog::show_sizes() {
    while (form_->rowCount() > 0) form_->removeRow(0);
    sizes_.clear();
    const graph::ZooModel& zoo = graph::zoo_models()[static_cast<std::size_t>(model_->currentIndex())];
    meaning_->setText(model::zoo_meaning(zoo));
    constexpr std::int64_t widest = std::numeric_limits<int>::max();
    for (const graph::ZooSize& size : zoo.sizes) {
        auto* box = new QSpinBox(this);
        box->setRange(static_cast<int>(std::min(size.least, widest)), static_cast<int>(std::min(size.most, widest)));
        box->setValue(static_cast<int>(size.fallback));
        auto* help = new QLabel(model::zoo_size_help(size), this);
        help->setProperty("role", QStringLiteral("faint"));
        help->setWordWrap(true);
        auto* field = new QVBoxLayout;
        field->setSpacing(4);
        field->addWidget(box);
        field->addWidget(help);
        auto* name = new QLabel(model::zoo_size_name(size), this);
        name->setBuddy(box);
        box->setAccessibleName(name->text());
        box->setAccessibleDescription(help->text());
        form_->addRow(name, field);
        sizes_.emplace_back(size.name, box);
    }
}

model::ModelSource ZooDialog::source() const {
    model::ModelSource source;
    source.zoo = model_->currentText().toStdString();
    for (const auto& [name, box] : sizes_) source.sizes[name] = box->value();
    return source;
}

}  // namespace divisi::shell

#include "moc_zoo_dialog.cpp"
