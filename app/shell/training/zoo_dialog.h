// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>
#include <QDialog>
#include <QFormLayout>
#include <QLabel>
#include <QSpinBox>
#include <vector>

#include "app/model/documents/loaded_model.h"

namespace divisi::shell {

/// Chooses a zoo model and its sizes.
class ZooDialog : public QDialog {
    Q_OBJECT
public:
    explicit ZooDialog(QWidget* parent);
    model::ModelSource source() const;

private:
    void show_sizes();

    QComboBox* model_;
    QLabel* meaning_;
    QFormLayout* form_;
    std::vector<std::pair<std::string, QSpinBox*>> sizes_;
};

}  // namespace divisi::shell
